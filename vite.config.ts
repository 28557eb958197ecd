/**
 * Builds the parts of the program, a mode each:
 *
 *   (none)    the window: src-renderer -> out/renderer. Everything is a file of its own, as the page's CSP demands.
 *   main      the program: src-main -> out/main. ES modules for Node and for Electron's main process; the entries share
 *             their code, so only main.js names electron. better-sqlite3 stays outside, as it brings native code.
 *   preload   the page's bridge -> out/preload. One CommonJS file, since a sandboxed preload can be nothing else.
 */
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type UserConfig } from "vite";

const root = import.meta.dirname;
const at = (path: string): string => join(root, path);

/** Whose work is bundled, and under which licence; it goes where the bundle goes. */
const licenses = { fileName: "licenses.md" };

const renderer: UserConfig = {
  root: at("src-renderer"),
  base: "./",
  publicDir: false,
  plugins: [react()],
  build: {
    outDir: at("out/renderer"),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: licenses,
    target: "es2024",
    // What the first load may weigh is held by `npm run bench -- window`.
    chunkSizeWarningLimit: 1000,
  },
};

const main: UserConfig = {
  root,
  publicDir: false,
  ssr: { noExternal: true, external: ["electron", "better-sqlite3"] },
  // Where the releases are: known where a workflow builds, and nowhere else.
  define: { "process.env.OWNKEY_RELEASES": JSON.stringify(process.env.GITHUB_REPOSITORY ?? "") },
  build: {
    ssr: true,
    outDir: at("out/main"),
    emptyOutDir: true,
    license: licenses,
    target: "node24",
    minify: false,
    rollupOptions: {
      input: {
        main: at("src-main/main.ts"),
        headless: at("src-main/headless.ts"),
        "guard-process": at("src-main/host/guard-process.ts"),
      },
      // All in one folder: the built window is found from every file by the same way as from its source.
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "[name]-[hash].js",
        // What npm links as `ownkey`.
        banner: ({ name }) => (name === "headless" ? "#!/usr/bin/env -S node --disable-sigusr1" : ""),
      },
    },
  },
};

const preload: UserConfig = {
  root,
  publicDir: false,
  ssr: { noExternal: true, external: ["electron"] },
  build: {
    ssr: at("src-main/shell/preload.ts"),
    outDir: at("out/preload"),
    emptyOutDir: true,
    target: "chrome148",
    minify: false,
    rollupOptions: { output: { format: "cjs", entryFileNames: "preload.cjs" } },
  },
};

const modes: Readonly<Record<string, UserConfig>> = { main, preload };

export default defineConfig(({ mode }) => modes[mode] ?? renderer);
