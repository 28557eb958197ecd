/**
 * Draws every icon from assets/icon.svg and the key in it, in a Chromium: `npm run icons`. The results are committed.
 *
 *   assets/icons/NxN.png, icon.ico, icon.icns         the app
 *   assets/tray/STATE-black.png, -white.png, .ico      Linux (24 px) and Windows, for a light and for a dark bar
 *   assets/tray/STATETemplate.png                      macOS (18 px), which colours it by itself
 * @2x beside each is for displays of twice the density.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

const assets = join(import.meta.dirname, "../assets");
const app = readFileSync(join(assets, "icon.svg"), "utf8");

/** The key, as in the app's icon, in a square of 24. Shape tells the state, never colour alone. */
const key = (/** @type {number} */ width) =>
  `<g transform="rotate(-45 12 12)" fill="none" stroke="INK" stroke-width="${width}" stroke-linejoin="round">
    <circle cx="6.2" cy="12" r="4.1"/><path d="M10.3 12H21.6M19.3 12V16.4M15.2 12V15.4" stroke-linecap="round"/></g>`;
/** Clears what lies under a mark at the lower right. */
const hole = `<mask id="m"><rect width="24" height="24" fill="#fff"/><circle cx="17.6" cy="17.6" r="6.6" fill="#000"/></mask>`;
const marked = (/** @type {string} */ mark, /** @type {number} */ width = 2.6) =>
  `${hole}<g mask="url(#m)">${key(width)}</g>${mark}`;
const line = (/** @type {string} */ path, /** @type {number} */ width) =>
  `<path d="${path}" fill="none" stroke="INK" stroke-width="${width}" stroke-linecap="round"/>`;

/** @type {Readonly<Record<string, string>>} */
const states = {
  working: key(2.6),
  busy: marked('<circle cx="17.6" cy="17.6" r="4.2" fill="INK"/>'),
  paused: marked(`${line("M15.6 14.2V21M19.8 14.2V21", 2.4)}`, 1.4),
  attention: marked(`${line("M17.6 12.8V17.6", 2.8)}<circle cx="17.6" cy="21.4" r="1.6" fill="INK"/>`),
  stopped: `${key(1.4)}${line("M3.4 3.4L20.6 20.6", 2)}`,
};
const tray = (/** @type {string} */ state, /** @type {string} */ ink) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${states[state]?.replaceAll("INK", ink)}</svg>`;
/** macOS leaves a margin round the icons of apps. */
const macApp = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-7.8 -7.8 79.6 79.6">${app}</svg>`;

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage();

/** PNG of so many pixels. */
async function draw(/** @type {string} */ svg, /** @type {number} */ size) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(
    `<style>*{margin:0}svg{display:block;width:${size}px;height:${size}px}svg svg{width:64px;height:64px}</style>${svg}`,
  );
  return page.screenshot({ omitBackground: true });
}

/** Both hold PNGs as they are, behind a table. */
function icoOf(/** @type {readonly { size: number, png: Buffer }[]} */ images) {
  const head = Buffer.alloc(6 + 16 * images.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(images.length, 4);
  let at = head.length;
  images.forEach(({ size, png }, index) => {
    const entry = 6 + 16 * index;
    head.writeUInt8(size % 256, entry);
    head.writeUInt8(size % 256, entry + 1);
    head.writeUInt16LE(1, entry + 4);
    head.writeUInt16LE(32, entry + 6);
    head.writeUInt32LE(png.length, entry + 8);
    head.writeUInt32LE(at, entry + 12);
    at += png.length;
  });
  return Buffer.concat([head, ...images.map(({ png }) => png)]);
}

function icnsOf(/** @type {readonly { type: string, png: Buffer }[]} */ images) {
  const chunks = images.map(({ type, png }) => {
    const head = Buffer.alloc(8);
    head.write(type, "latin1");
    head.writeUInt32BE(png.length + 8, 4);
    return Buffer.concat([head, png]);
  });
  const body = Buffer.concat(chunks);
  const head = Buffer.alloc(8);
  head.write("icns", "latin1");
  head.writeUInt32BE(body.length + 8, 4);
  return Buffer.concat([head, body]);
}

/** @returns {Promise<{ size: number, png: Buffer }[]>} */
const drawAll = async (/** @type {string} */ svg, /** @type {readonly number[]} */ sizes) => {
  const images = [];
  for (const size of sizes) images.push({ size, png: await draw(svg, size) });
  return images;
};

for (const folder of ["icons", "tray"]) {
  rmSync(join(assets, folder), { recursive: true, force: true });
  mkdirSync(join(assets, folder));
}
for (const { size, png } of await drawAll(app, [16, 24, 32, 48, 64, 128, 256, 512]))
  writeFileSync(join(assets, `icons/${size}x${size}.png`), png);
writeFileSync(join(assets, "icon.ico"), icoOf(await drawAll(app, [16, 24, 32, 48, 64, 128, 256])));

const macTypes = { ic11: 32, ic12: 64, ic07: 128, ic13: 256, ic08: 256, ic14: 512, ic09: 512, ic10: 1024 };
const macImages = [];
for (const [type, size] of Object.entries(macTypes)) macImages.push({ type, png: await draw(macApp, size) });
writeFileSync(join(assets, "icon.icns"), icnsOf(macImages));

for (const state of Object.keys(states)) {
  for (const [name, size] of /** @type {const} */ ([
    ["", 18],
    ["@2x", 36],
  ]))
    writeFileSync(join(assets, `tray/${state}Template${name}.png`), await draw(tray(state, "#000"), size));
  for (const ink of ["black", "white"]) {
    const svg = tray(state, ink);
    writeFileSync(join(assets, `tray/${state}-${ink}.png`), await draw(svg, 24));
    writeFileSync(join(assets, `tray/${state}-${ink}@2x.png`), await draw(svg, 48));
    writeFileSync(join(assets, `tray/${state}-${ink}.ico`), icoOf(await drawAll(svg, [16, 20, 24, 32, 48])));
  }
}
await browser.close();
