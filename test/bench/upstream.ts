/** Stands in for a chat-completions server: sends the answer as fast as it is taken. Prints its port. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { pieceAt, pieces } from "./answer.ts";
import { listen } from "./child.ts";

const writeBytes = 32 * 1024;

/** With the fields that OpenAI sends, since reading past them is part of the work. */
const head = {
  id: "chatcmpl-9a7fK2mQx0",
  object: "chat.completion.chunk",
  created: 1_760_000_000,
  model: "bench",
  service_tier: "default",
  system_fingerprint: "fp_1c0ffee5a7",
};
const frame = (delta: object, finish: string | null = null): string =>
  event({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], usage: null });
const event = (chunk: object): string => `data: ${JSON.stringify(chunk)}\n\n`;

const usage = { prompt_tokens: 10, completion_tokens: pieces, total_tokens: pieces + 10 };
const writes = cut(
  [
    frame({ role: "assistant", content: "" }),
    ...Array.from({ length: pieces }, (_, index) => frame({ content: pieceAt(index) })),
    frame({}, "stop"),
    event({ ...head, choices: [], usage }),
    "data: [DONE]\n\n",
  ].join(""),
);

function cut(body: string): Buffer[] {
  const bytes = Buffer.from(body);
  return Array.from({ length: Math.ceil(bytes.length / writeBytes) }, (_, nth) =>
    bytes.subarray(nth * writeBytes, (nth + 1) * writeBytes),
  );
}

async function answer(response: ServerResponse): Promise<void> {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
  for (const bytes of writes) if (!response.write(bytes)) await once(response, "drain");
  response.end();
}

listen(
  createServer((request, response) => {
    request.resume().once("end", () => {
      answer(response).catch((reason) => response.destroy(reason));
    });
  }),
);
