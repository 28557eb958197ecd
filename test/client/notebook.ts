/** How Cursor's client starts our MCP server. */
import { join } from "node:path";

/** `cwd`: where it keeps its notes. `more`: how many tools it has beside its own four. */
export const notebook = ({ cwd, more = 0 }: { readonly cwd?: string; readonly more?: number } = {}) => ({
  command: process.execPath,
  args: [join(import.meta.dirname, "mcp-server.ts"), String(more)],
  ...(cwd === undefined ? {} : { cwd }),
});
