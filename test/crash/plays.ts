/** What users ask and what the model then does, step by step. Every text, name and id is fixed: two runs are alike. */

export interface Call {
  readonly name: string;
  readonly args: object;
}

/** One answer of the model. The last one of a turn makes no calls. */
export interface Step {
  readonly thinking?: string;
  /** In the pieces in which it is streamed. */
  readonly text: readonly string[];
  readonly calls?: readonly Call[];
  /** The first request for it breaks off behind the first piece. */
  readonly breaksOnce?: boolean;
}

export type Turn = readonly Step[];

const read = (path: string): Call => ({ name: "Read", args: { path } });
const shell = (command: string): Call => ({ name: "Shell", args: { command } });
const serverTool = (tool: string, at: number): Call => ({ name: `program-${tool}`, args: { at } });
const words = (text: string): readonly string[] => text.split(/(?<= )/);

export const thinking = "Let me see. ";

export const plays: Readonly<Record<string, readonly Turn[]>> = {
  files: [
    [
      { text: words("I look at three files. "), calls: ["hello.txt", "missing.txt", "hello.txt"].map(read) },
      { text: ["Now it is ", "built. "], calls: [shell("make")] },
      { text: words("All of it was built without a warning.") },
    ],
    [
      { text: [], calls: [{ name: "Write", args: { path: "new.txt", contents: "line 1\nline 2\n" } }] },
      {
        thinking,
        text: ["A small correction. "],
        calls: [
          { name: "StrReplace", args: { path: "new.txt", old_string: "line 2", new_string: "LINE 2" } },
          { name: "Delete", args: { path: "hello.txt" } },
          shell("cat new.txt"),
        ],
      },
      { text: ["The file is ", "as it should be."] },
    ],
  ],
  servers: [
    [
      { thinking, text: ["I deploy it. "], calls: [serverTool("deploy", 1)] },
      { text: ["Twice more. "], calls: [serverTool("deploy", 2), serverTool("deploy", 3)] },
      { text: ["And look. "], calls: [serverTool("look", 1), serverTool("look", 2), read("hello.txt")] },
      { text: ["It is ", "deployed."] },
    ],
    [{ text: words("It was deployed three times, and looked at twice.") }],
  ],
  talk: [
    [
      {
        thinking,
        text: words(
          "Once upon a time there was a program that was killed again and again, and nobody noticed.",
        ),
        breaksOnce: true,
      },
    ],
    [
      { text: ["Two commands. "], calls: [shell("echo one"), shell("echo two")] },
      { thinking, text: words("Both have said what they were told to say.") },
    ],
  ],
  many: [
    [
      {
        text: ["Ten at once. "],
        calls: Array.from({ length: 10 }, (_, at) => read(at % 2 === 0 ? "hello.txt" : `missing-${at}.txt`)),
      },
      {
        text: ["A list. "],
        calls: [
          { name: "TodoWrite", args: { todos: [{ id: "1", content: "Go on", status: "in_progress" }] } },
          shell("test"),
        ],
      },
      { text: ["Nothing is ", "left to do."] },
    ],
    [{ text: [], calls: [read("hello.txt")] }, { text: ["Still ", "there."] }],
  ],
};

/** What the user writes: names the conversation, the play and the turn, so that the model knows its part. */
export const promptFor = (tag: string, play: string, turn: number): string => `[${tag} ${play} ${turn}]`;

export const cueIn = (prompt: string) => {
  const [, tag, play = "", turn] = /\[(\w+) (\w+) (\d+)\]/.exec(prompt) ?? [];
  return tag === undefined ? null : { tag, play, turn: Number(turn) };
};

export const textOf = ({ text }: Step): string => text.join("");

/** The model's own id of a call: no other call of its conversation has it. */
export const modelCallId = (turn: number, step: number, index: number): string =>
  `call_${turn}_${step}_${index}`;
