/** The command lines that the window recommends. */
export const program = "ownkey";

/** What stands for `ownkey` where the program runs from its source folder. */
export const sourceProgram = "npm run --silent headless --";

export const commands = {
  window: `${program} window`,
  serve: `${program} serve`,
  serveAnywhere: `${program} serve --port 0`,
  newKey: `${program} key new`,
  addChannel: `${program} channel add --name DeepSeek --format openai-chat --base-url https://api.deepseek.com/v1 --model deepseek-chat --key-stdin`,
  enableChannel: (id: string) => `${program} channel enable ${id}`,
  setKey: (id: string) => `${program} channel set ${id} --key-stdin`,
} as const;
