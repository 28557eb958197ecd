/**
 * Builds the window into out/renderer, unless what is there is newer than all it is made of (`--force`: always).
 *
 * `npm start` loads this file before the program (--import), so that one process is what a signal must reach.
 */
import { buildPart } from "./build-part.mjs";

buildPart(
  {
    title: "the window",
    modes: ["production"],
    built: "out/renderer/index.html",
    sources: ["src-main/contract", "assets/icon.svg", "src-renderer"],
  },
  process.argv[2] === "--force",
);
