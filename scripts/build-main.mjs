/** Builds the program itself: out/main for Node and Electron, out/preload for the app's page (`--force`: always). */
import { buildPart } from "./build-part.mjs";

buildPart(
  {
    title: "the program",
    modes: ["main", "preload"],
    built: "out/preload/preload.cjs",
    sources: ["src-main"],
  },
  process.argv.includes("--force"),
);
