/** The command lines that the window recommends. */
export const program = "ownkey";

/** What stands for `ownkey` where the program runs from its source folder. */
export const sourceProgram = "npm run --silent headless --";

export const commands = {
  window: `${program} window`,
  serve: `${program} serve`,
  serveAnywhere: `${program} serve --port 0`,
  run: `${program} run -- cursor-agent`,
} as const;
