/** The table of tools. Adding one means adding its file and its line here; the order is the one the model reads. */
import type { ToolSpec } from "../../../llm/types.ts";
import { askQuestion } from "./ask-question.ts";
import { awaitShell } from "./await-shell.ts";
import { callMcpTool } from "./call-mcp-tool.ts";
import { createPlan } from "./create-plan.ts";
import { deleteFile } from "./delete.ts";
import { editNotebook } from "./edit-notebook.ts";
import { fetchMcpResource } from "./fetch-mcp-resource.ts";
import { getMcpTools } from "./get-mcp-tools.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";
import { listMcpResources } from "./list-mcp-resources.ts";
import { ls } from "./ls.ts";
import { mcp } from "./mcp.ts";
import { multiStrReplace } from "./multi-str-replace.ts";
import { read } from "./read.ts";
import { readLints } from "./read-lints.ts";
import { shell } from "./shell.ts";
import { strReplace } from "./str-replace.ts";
import { switchMode } from "./switch-mode.ts";
import { task } from "./task.ts";
import { todoWrite } from "./todo-write.ts";
import type { Tool } from "./tool.ts";
import { webFetch } from "./web-fetch.ts";
import { webSearch } from "./web-search.ts";
import { write } from "./write.ts";
import { writeShellStdin } from "./write-shell-stdin.ts";

export const builtIns: readonly Tool[] = [
  shell,
  awaitShell,
  writeShellStdin,
  read,
  write,
  strReplace,
  multiStrReplace,
  deleteFile,
  editNotebook,
  grep,
  glob,
  ls,
  readLints,
  todoWrite,
  webSearch,
  webFetch,
  task,
  askQuestion,
  createPlan,
  switchMode,
  getMcpTools,
  callMcpTool,
  listMcpResources,
  fetchMcpResource,
];

const byName: ReadonlyMap<string, Tool> = new Map(builtIns.map((tool) => [tool.name, tool]));

const builtIn = (name: string): Tool | null => byName.get(name) ?? null;

/** What carries out the calls of an offered tool. Built-in names always win over a server's. */
export const toolOf = (spec: ToolSpec): Tool | null => (spec.mcp ? mcp : builtIn(spec.name));
