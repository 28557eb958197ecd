/**
 * Argument names that models trained on other agents use. One table for all tools: a name counts only where the tool
 * has the argument it stands for, does not have the name itself, and was not given both.
 */
import type { JsonObject } from "../../../base/json.ts";

const aliases: Readonly<Record<string, readonly string[]>> = {
  path: [
    "file_path",
    "filePath",
    "target_file",
    "file",
    "filename",
    "directory",
    "dir",
    "target_directory",
    "target_notebook",
    "notebook_path",
  ],
  contents: ["content", "file_text", "text", "code_edit"],
  old_string: ["old_str", "oldString", "old_text", "search"],
  new_string: ["new_str", "newString", "new_text", "replace", "replacement"],
  replace_all: ["replaceAll", "all"],
  edits: ["replacements", "changes"],
  cell_index: ["cell_idx", "cell_number", "cell"],
  command: ["cmd", "script"],
  working_directory: ["cwd", "workdir", "workingDirectory"],
  timeout_ms: ["timeout", "block_until_ms"],
  is_background: ["run_in_background", "background"],
  shell_id: ["shellId", "task_id", "bash_id", "id"],
  block_until_ms: ["timeout_ms", "timeout", "wait_ms"],
  chars: ["input", "text", "data", "stdin"],
  server: ["server_name", "serverName", "provider"],
  tool_name: ["toolName", "tool", "name"],
  arguments: ["args", "input", "params"],
  pattern: ["query", "regex"],
  glob: ["include"],
  context_before: ["-B", "before_context"],
  context_after: ["-A", "after_context"],
  context: ["-C"],
  case_insensitive: ["-i", "ignore_case"],
  head_limit: ["limit", "max_results"],
  glob_pattern: ["pattern", "glob", "globPattern"],
  target_directory: ["path", "directory", "dir", "targetDirectory"],
  search_term: ["query", "searchTerm", "q"],
  url: ["uri", "link"],
  paths: ["files", "file_paths"],
  offset: ["start_line", "line"],
  subagent_type: ["agent_type", "agent", "type"],
};

/** `known`: the argument names of the tool. */
export function unalias(given: JsonObject, known: readonly string[]): JsonObject {
  const renamed = Object.entries(given).map(([name, value]) => {
    if (known.includes(name)) return [name, value] as const;
    const meant = known.find((argument) => aliases[argument]?.includes(name) && !(argument in given));
    return [meant ?? name, value] as const;
  });
  return Object.fromEntries(renamed);
}
