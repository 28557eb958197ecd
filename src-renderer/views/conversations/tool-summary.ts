/** A tool call in one line, and what kind of thing it did. Pure: from its name and arguments alone. */
export interface Edit {
  readonly before: string;
  readonly after: string;
}

export interface ToolCall {
  /** What it is about: a path, a command, a pattern. "" when nothing says it. */
  readonly subject: string;
  /** What an editing tool takes away and puts in. */
  readonly edits: readonly Edit[];
  /** Of a tool that runs one. */
  readonly command: string | null;
  /** Indented JSON, or what the model wrote when that is none. */
  readonly arguments: string;
}

/** The first of these that is there says what the call is about. */
const subjects = [
  "path",
  "target_directory",
  "command",
  "pattern",
  "glob_pattern",
  "query",
  "search_term",
  "url",
  "description",
  "title",
  "name",
  "server",
];

/** Of another tool than the built-in ones, at least the shape is right. */
export function readToolCall(name: string, text: string): ToolCall {
  const args = parse(text);
  const found = subjects.map((key) => args?.[key]).find((value) => typeof value === "string");
  return {
    subject: (found ?? "").split("\n", 1)[0] ?? "",
    edits: args ? editsOf(name, args) : [],
    command: name === "Shell" && typeof args?.command === "string" ? args.command : null,
    arguments: args ? JSON.stringify(args, null, 2) : text,
  };
}

type Args = Readonly<Record<string, unknown>>;

function parse(text: string): Args | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Args) : null;
  } catch {
    return null;
  }
}

function editsOf(name: string, args: Args): readonly Edit[] {
  switch (name) {
    case "Write":
      return [{ before: "", after: textIn(args, "contents") }];
    case "StrReplace":
    case "EditNotebook":
      return [editOf(args)];
    case "MultiStrReplace":
      return Array.isArray(args.edits) ? args.edits.map((edit) => editOf(edit as Args)) : [];
    default:
      return [];
  }
}

const editOf = (args: Args): Edit => ({
  before: textIn(args, "old_string"),
  after: textIn(args, "new_string"),
});

function textIn(args: Args, key: string): string {
  const value = args?.[key];
  return typeof value === "string" ? value : "";
}
