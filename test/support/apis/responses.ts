/** OpenAI's Responses, from the server's side: reasoning travels encrypted, and goes with the items behind it. */
import type { ChatMessage } from "../upstream.ts";
import { type Api, type Body, textOf, unpaired } from "./chat.ts";
import { seal } from "./seal.ts";

export const responses: Api = {
  read({ input, tools = [], store, include = [] }) {
    const items: Body[] = input;
    const said = toChat(items);
    const stray = items.findIndex(({ type }, at) => type === "reasoning" && !follows(items[at + 1]));
    const forged = items.some(
      ({ type, id, encrypted_content: sealed }) => type === "reasoning" && sealed !== seal(id),
    );
    const foreign = items.find(({ id }) => id !== undefined && !/^(rs|msg|fc)_own_\d+$/.test(id));
    return {
      messages: said,
      tools: tools.map(({ name }: Body) => name),
      problem:
        (store === false ? null : "store must be false here") ??
        (include.includes("reasoning.encrypted_content") ? null : "nothing asks for encrypted reasoning") ??
        (stray < 0 ? null : "Item of type 'reasoning' was provided without its required following item") ??
        (forged ? "The encrypted content could not be verified" : null) ??
        (foreign ? `Item '${foreign.id}' not found` : null) ??
        unpaired(said),
    };
  },
  speak(write) {
    let place = -1;
    let open: Body = null;
    const send = (type: string, data: object) => write(type, { type, ...data });
    const close = () => {
      if (open) send("response.output_item.done", { output_index: place, item: open });
      open = null;
    };
    const begin = (type: string, item: object): Body => {
      if (place < 0) send("response.created", { response: { id: "resp_1" } });
      if (open?.type === type && type !== "function_call") return open;
      close();
      place++;
      serial++;
      const prefix = { reasoning: "rs", message: "msg" }[type] ?? "fc";
      open = { type, id: `${prefix}_own_${serial}`, ...item };
      send("response.output_item.added", {
        output_index: place,
        item: { ...open, content: [], arguments: "" },
      });
      return open;
    };
    return {
      thinking(delta) {
        const item = begin("reasoning", { summary: [{ type: "summary_text", text: "" }] });
        item.summary[0].text += delta;
        item.encrypted_content = seal(item.id);
        send("response.reasoning_summary_text.delta", { output_index: place, summary_index: 0, delta });
      },
      text(delta) {
        const item = begin("message", { role: "assistant", content: [{ type: "output_text", text: "" }] });
        item.content[0].text += delta;
        send("response.output_text.delta", { output_index: place, content_index: 0, delta });
      },
      call(name, args, id) {
        const item = begin("function_call", { call_id: id, name });
        const half = Math.ceil(args.length / 2);
        for (const delta of [args.slice(0, half), args.slice(half)])
          send("response.function_call_arguments.delta", { output_index: place, delta });
        item.arguments = args;
      },
      finish(reason, tokens) {
        close();
        const usage = { input_tokens: tokens.prompt, output_tokens: tokens.output };
        const cut = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
        const response = {
          id: "resp_1",
          output: [],
          usage,
          ...(reason === "length" ? cut : { status: "completed" }),
        };
        send(reason === "length" ? "response.incomplete" : "response.completed", { response });
      },
    };
  },
};

/** Ids are this server's, over all its answers. */
let serial = 0;

const follows = (item: Body): boolean =>
  item !== undefined &&
  (item.type === "function_call" || item.type === "reasoning" || item.role === "assistant");

function toChat(items: readonly Body[]): readonly ChatMessage[] {
  const messages: (ChatMessage & { tool_calls?: Body[] })[] = [];
  for (const item of items) {
    const last = messages.at(-1);
    if (item.type === "function_call") {
      const call = { id: item.call_id, function: { name: item.name, arguments: item.arguments } };
      if (last?.role === "assistant") last.tool_calls = [...(last.tool_calls ?? []), call];
      else messages.push({ role: "assistant", content: "", tool_calls: [call] });
    } else if (item.type === "function_call_output")
      messages.push({ role: "tool", content: textOf(item.output), tool_call_id: item.call_id });
    else if (item.type !== "reasoning") messages.push({ role: item.role, content: textOf(item.content) });
  }
  return messages;
}
