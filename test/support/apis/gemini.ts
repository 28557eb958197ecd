/** Gemini's streamGenerateContent, from the server's side: the first call of an answer is signed. */
import type { ChatMessage } from "../upstream.ts";
import { type Api, type Body, textOf, unpaired } from "./chat.ts";
import { seal } from "./seal.ts";

export const gemini: Api = {
  read({ contents, tools = [] }) {
    const parts: Body[] = contents.flatMap((content: Body) => content.parts);
    const forged = parts.some(
      ({ functionCall: call, thoughtSignature }) =>
        thoughtSignature !== undefined && thoughtSignature !== seal(JSON.stringify([call?.name, call?.args])),
    );
    const empty = parts.some((part) => part.text === "" && part.thoughtSignature === undefined);
    const said = toChat(contents);
    return {
      messages: said,
      tools: tools.flatMap(({ functionDeclarations }: Body) =>
        functionDeclarations.map(({ name }: Body) => name),
      ),
      problem:
        (forged ? "Thought signature is not valid" : null) ??
        (empty ? "Unable to submit request because it must have a text parameter" : null) ??
        unpaired(said),
    };
  },
  speak(write) {
    let calls = 0;
    const send = (parts: readonly object[], more: object = {}) =>
      write(null, {
        candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
        responseId: "r1",
      });
    return {
      thinking: (text) => send([{ text, thought: true }]),
      text: (text) => send([{ text }]),
      call(name, args) {
        const given: unknown = JSON.parse(args);
        const signature = seal(JSON.stringify([name, given]));
        send([
          { functionCall: { name, args: given }, ...(calls++ === 0 ? { thoughtSignature: signature } : {}) },
        ]);
      },
      finish(reason, tokens) {
        send([], { finishReason: reason === "length" ? "MAX_TOKENS" : "STOP" });
        write(null, {
          usageMetadata: { promptTokenCount: tokens.prompt, candidatesTokenCount: tokens.output },
        });
      },
    };
  },
};

/** Calls have no ids here: they are known by their place. */
function toChat(contents: readonly Body[]): readonly ChatMessage[] {
  let serial = 0;
  let open: { readonly id: string; readonly name: string }[] = [];
  return contents.flatMap(({ role, parts }): ChatMessage[] => {
    const results: Body[] = parts.filter((part: Body) => part.functionResponse);
    if (results.length > 0)
      return results.map(({ functionResponse: { name, response } }) => {
        const at = open.findIndex((call) => call.name === name);
        const [call] = open.splice(Math.max(at, 0), 1);
        return { role: "tool", content: response.output ?? response.error, tool_call_id: call?.id ?? "none" };
      });
    if (role === "user") return [{ role, content: textOf(parts) }];
    const called = parts
      .filter((part: Body) => part.functionCall)
      .map(({ functionCall: { name, args } }: Body) => ({
        id: `gemini_${serial++}`,
        function: { name, arguments: JSON.stringify(args) },
      }));
    open = called.map((call: Body) => ({ id: call.id, name: call.function.name }));
    const content = textOf(parts.filter((part: Body) => !part.thought));
    return [{ role: "assistant", content, ...(called.length > 0 ? { tool_calls: called } : {}) }];
  });
}
