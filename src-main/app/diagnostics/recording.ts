/**
 * One provider request while it goes: what was sent, what came, what we made of it and what Cursor saw, each with its
 * time. Bounded; what does not fit is counted, never left out in silence.
 *
 *   upstream line  ->  event (knows the line it came from)  ->  frame (knows the event before it)
 *
 * A run of equal deltas is one entry with the time of each, or a long answer would be nothing but deltas.
 */
import type { SampleEvent, SampleFrame, SampleView } from "../../contract/calls.ts";
import type { Tap } from "../../llm/exchange/tap.ts";
import type { ResponseEvent } from "../../llm/types.ts";
import { tellFrame } from "../../transport/frames.ts";
import type { Frame } from "../../transport/run/watch.ts";

const limits = {
  requestChars: 2 * 1024 * 1024,
  upstreamChars: 1024 * 1024,
  deltas: 20_000,
  frames: 500,
  frameBytes: 1024 * 1024,
} as const;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Kept = Omit<Mutable<SampleEvent>, "times"> & { readonly times: number[] };

export class Recording implements Tap {
  readonly #number: number;
  readonly #startedMs: number;
  readonly #now: () => number;
  readonly #decoder = new TextDecoder();
  readonly #lines: { readonly ms: number; readonly text: string }[] = [];
  readonly #events: Kept[] = [];
  readonly #frames: { readonly ms: number; readonly event: number; readonly frame: Frame }[] = [];
  readonly #over = { upstream: 0, events: 0, frames: 0 };
  #request: SampleView["request"] = null;
  #response: SampleView["response"] = null;
  #passedOver: SampleView["passedOver"] = {};
  #rest = "";
  #restMs = 0;
  #upstreamChars = 0;
  #deltas = 0;
  #frameBytes = 0;

  constructor(number: number, now: () => number) {
    this.#number = number;
    this.#now = now;
    this.#startedMs = now();
  }

  /** About how much memory it holds. */
  get size(): number {
    return (this.#request?.body.length ?? 0) + this.#upstreamChars + this.#frameBytes + this.#deltas * 16;
  }

  sent({ url, headers, body }: Parameters<Tap["sent"]>[0]): void {
    this.#request = { url, headers, body: body.slice(0, limits.requestChars), length: body.length };
  }

  answered({ status, headers }: Parameters<Tap["answered"]>[0]): void {
    this.#response = { ms: this.#ms(), status, headers };
  }

  chunk(bytes: Uint8Array): void {
    if (this.#upstreamChars > limits.upstreamChars) {
      this.#over.upstream += bytes.length;
      return;
    }
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    this.#upstreamChars += bytes.length;
    const lines = text.split("\n");
    this.#rest = lines.pop() ?? "";
    const ms = this.#ms();
    this.#restMs = ms;
    for (const line of lines) if (line.trim() !== "") this.#lines.push({ ms, text: line });
  }

  passedOver(counts: Parameters<Tap["passedOver"]>[0]): void {
    this.#passedOver = counts;
  }

  heard(event: ResponseEvent): void {
    if (this.#deltas >= limits.deltas) {
      this.#over.events++;
      return;
    }
    this.#deltas++;
    const { type } = event;
    const index = "index" in event ? event.index : null;
    const text = textOf(event);
    const last = this.#events.at(-1);
    const isMore = type.endsWith("_delta") && last?.type === type && last.index === index;
    if (isMore) {
      last.text += text;
      last.times.push(this.#ms());
    } else this.#events.push({ type, index, text, line: this.#lines.length - 1, times: [this.#ms()] });
  }

  frame(frame: Frame): void {
    if (this.#frames.length >= limits.frames || this.#frameBytes > limits.frameBytes) {
      this.#over.frames++;
      return;
    }
    this.#frameBytes += frame.bytes.length;
    this.#frames.push({ ms: this.#ms(), event: this.#events.length - 1, frame });
  }

  view(): SampleView {
    const rest = this.#rest === "" ? [] : [{ ms: this.#restMs, text: this.#rest }];
    return {
      try: this.#number,
      startedMs: this.#startedMs,
      request: this.#request,
      response: this.#response,
      lines: [...this.#lines, ...rest],
      events: this.#events,
      frames: this.#frames.map(toFrameView),
      passedOver: this.#passedOver,
      over: { ...this.#over },
    };
  }

  #ms(): number {
    return this.#now() - this.#startedMs;
  }
}

function textOf(event: ResponseEvent): string {
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
    case "tool_call_delta":
      return event.text;
    case "tool_call_start":
      return event.name;
    case "tool_call_end":
      return event.call.arguments;
    case "error":
      return `${event.error.code}: ${event.error.message}`;
    case "done":
      return `${event.message.stopReason} ${JSON.stringify(event.usage)}`;
    case "start":
    case "text_start":
    case "text_end":
    case "thinking_start":
    case "thinking_end":
      return "";
  }
}

const toFrameView = ({ ms, event, frame }: { ms: number; event: number; frame: Frame }): SampleFrame => ({
  ...{ ms, event, requestId: frame.requestId, direction: frame.direction, size: frame.bytes.length },
  ...tellFrame(frame),
});
