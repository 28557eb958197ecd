/** Anthropic's Messages, from the server's side: thinking is signed, and has to come back as it was. */
import type { ChatMessage } from "../upstream.ts";
import { type Api, type Body, textOf, unpaired } from "./chat.ts";
import { seal, sealProblem } from "./seal.ts";

export const anthropic: Api = {
  read({ messages, tools = [], max_tokens: most }) {
    const said = (messages as Body[]).flatMap(toChat);
    const blocks: Body[] = messages.flatMap(({ content }: Body) => content);
    const blank = blocks.find(({ type, text }) => type === "text" && text.trim() === "");
    const forged = blocks.find(
      ({ type, thinking, signature }) => type === "thinking" && sealProblem(thinking, signature),
    );
    return {
      messages: said,
      tools: tools.map(({ name }: Body) => name),
      problem:
        (typeof most === "number" ? null : "max_tokens: Field required") ??
        (blank ? "text content blocks must contain non-whitespace text" : null) ??
        (forged ? "Invalid `signature` in `thinking` block" : null) ??
        unpaired(said),
    };
  },
  speak(write) {
    let index = -1;
    let open: { readonly type: string; text: string } | null = null;
    const send = (type: string, data: object) => write(type, { type, ...data });
    const close = () => {
      if (open?.type === "thinking")
        send("content_block_delta", {
          index,
          delta: { type: "signature_delta", signature: seal(open.text) },
        });
      if (open) send("content_block_stop", { index });
      open = null;
    };
    const begin = (type: string, block: object) => {
      if (index < 0)
        send("message_start", { message: { id: "msg_1", usage: { input_tokens: 10, output_tokens: 1 } } });
      if (open?.type === type && type !== "tool_use") return open;
      close();
      index++;
      send("content_block_start", { index, content_block: { type, ...block } });
      open = { type, text: "" };
      return open;
    };
    return {
      thinking(thinking) {
        begin("thinking", { thinking: "", signature: "" }).text += thinking;
        send("content_block_delta", { index, delta: { type: "thinking_delta", thinking } });
      },
      text(text) {
        begin("text", { text: "" });
        send("content_block_delta", { index, delta: { type: "text_delta", text } });
      },
      call(name, args, id) {
        begin("tool_use", { id, name, input: {} });
        const half = Math.ceil(args.length / 2);
        for (const partial_json of [args.slice(0, half), args.slice(half)])
          send("content_block_delta", { index, delta: { type: "input_json_delta", partial_json } });
      },
      finish(reason) {
        close();
        const stop_reason = { tool_calls: "tool_use", length: "max_tokens" }[reason] ?? "end_turn";
        send("message_delta", { delta: { stop_reason }, usage: { output_tokens: 5 } });
        send("message_stop", {});
      },
    };
  },
};

function toChat({ role, content }: Body): ChatMessage[] {
  const blocks: Body[] = content;
  if (role === "assistant") {
    const calls = blocks
      .filter(({ type }) => type === "tool_use")
      .map(({ id, name, input }) => ({ id, function: { name, arguments: JSON.stringify(input) } }));
    return [{ role, content: textOf(blocks), ...(calls.length > 0 ? { tool_calls: calls } : {}) }];
  }
  const results = blocks.filter(({ type }) => type === "tool_result");
  if (results.length === 0) return [{ role, content: textOf(blocks) }];
  return results.map((result) => ({
    role: "tool",
    content: textOf(result.content),
    tool_call_id: result.tool_use_id,
  }));
}
