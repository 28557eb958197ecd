/** Event streams of the window: one answer that never ends, {event, payload} a line; blank lines keep it alive. */
import type { ServerResponse } from "node:http";
import type { Clock } from "../base/clock.ts";
import type { Emitter } from "./events.ts";

export interface EventStreams {
  /** Streams until the reader goes away. */
  open(response: ServerResponse): void;
  close(): void;
}

const heartbeatMs = 15_000;
/** Bytes that a reader may lag behind before it is cut off; it opens a new stream and asks anew. */
const mostUnread = 4 * 1024 * 1024;

export function createEventStreams(events: Emitter, clock: Clock): EventStreams {
  const streams = new Set<ServerResponse>();
  return {
    open(response) {
      streams.add(response);
      response.writeHead(200, { "content-type": "application/x-ndjson" }).write("\n");
      const stop = events.listen((event, payload) => {
        if (response.writableLength > mostUnread) response.destroy();
        else response.write(`${JSON.stringify({ event, payload })}\n`);
      });
      let callOff = clock.after(heartbeatMs, beat);
      function beat() {
        response.write("\n");
        callOff = clock.after(heartbeatMs, beat);
      }
      response.on("close", () => {
        callOff();
        stop();
        streams.delete(response);
      });
    },
    close() {
      for (const stream of streams) stream.end();
    },
  };
}
