/**
 * What the user attached to a message (files, selections, terminals, links ...), as text before their words. Each part
 * has its limit and says what was left out; images travel beside it.
 */
import type { InvocationContext, SelectedContext } from "../../gen/agent/v1/message_pb.ts";
import { cutEnd } from "./tools/limits.ts";

const partCharacters = 40_000;
const allCharacters = 200_000;

/** "" when nothing is attached. */
export function attachmentsOf(selected: SelectedContext | undefined): string {
  if (!selected) return "";
  const parts = [
    ...editorState(selected.invocationContext),
    ...selected.cursorRules.map(({ rule }) => part("rule", rule?.fullPath ?? "", rule?.content ?? "")),
    ...selected.cursorCommands.map(({ name, content }) => part("command", name, content)),
    ...selected.files.map(({ path, content }) => part("file", path, content)),
    ...selected.codeSelections.map(({ path, content, range }) =>
      part("selection", range?.start ? `${path}:${range.start.line}` : path, content),
    ),
    ...selected.folders.map(({ path }) => part("folder", path, "")),
    ...selected.terminals.map(({ title, path, content }) => part("terminal", title ?? path ?? "", content)),
    ...selected.terminalSelections.map(({ title, path, content }) =>
      part("terminal_selection", title ?? path ?? "", content),
    ),
    ...selected.externalLinks.map(({ url, pdfContent }) => part("link", url, pdfContent ?? "")),
    ...selected.extraContext.map((text) => part("context", "", text)),
  ];
  return cutEnd(parts.join("\n"), allCharacters);
}

function editorState(context: InvocationContext | undefined): string[] {
  if (context?.data.case !== "ideState") return [];
  const { visibleFiles, recentlyViewedFiles } = context.data.value;
  const visible = visibleFiles.map(({ path, cursorPosition }) =>
    cursorPosition
      ? `${path} (cursor in line ${cursorPosition.line}: ${cutEnd(cursorPosition.text, 200)})`
      : path,
  );
  const recent = recentlyViewedFiles.map(({ path }) => path);
  return [
    ...(visible.length > 0 ? [part("open_files", "", visible.join("\n"))] : []),
    ...(recent.length > 0 ? [part("recently_viewed", "", recent.join("\n"))] : []),
  ];
}

function part(tag: string, name: string, content: string): string {
  const head = name ? `<${tag} name=${JSON.stringify(name)}` : `<${tag}`;
  return content === "" ? `${head}/>` : `${head}>\n${cutEnd(content, partCharacters)}\n</${tag}>`;
}
