/** Builds the window: src-renderer -> out/renderer. Everything is a file of its own, as the page's CSP demands. */
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: join(import.meta.dirname, "src-renderer"),
  base: "./",
  publicDir: false,
  plugins: [react()],
  build: {
    outDir: join(import.meta.dirname, "out/renderer"),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2024",
    // What the first load may weigh is held by `npm run bench -- window`.
    chunkSizeWarningLimit: 1000,
  },
});
