/** The window's built files, as a map from the path asked for: a path that is no key of it reads nothing. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";

export interface Page {
  readonly type: string;
  read(): Buffer;
}

/** Empty when the window has not been built. */
export function findPages(folder: string): ReadonlyMap<string, Page> {
  if (!existsSync(join(folder, "index.html"))) return new Map();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const pages = new Map(
    files.flatMap((entry) => {
      const file = join(entry.parentPath, entry.name);
      const type = types[extname(file)];
      const path = `/${relative(folder, file).split(sep).join("/")}`;
      return type ? [[path, { type, read: () => readFileSync(file) }] as const] : [];
    }),
  );
  const index = pages.get("/index.html");
  return index ? pages.set("/", index) : pages;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};

/** Nothing is loaded but what was built; nothing is written into the page as markup by accident. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The one that takes texts of others through its list of tags.
  "trusted-types dompurify",
].join("; ");
