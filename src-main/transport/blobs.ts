/** The kv half of one attempt: blobs fetched from the client, and marks, which are questions for a blob it lacks. */
import { create } from "@bufbuild/protobuf";
import type { Clock } from "../base/clock.ts";
import { type AgentServerMessage, AgentServerMessageSchema } from "../gen/agent/v1/agent_pb.ts";
import type { KvClientMessage } from "../gen/agent/v1/kv_pb.ts";

/** Asked for as a mark: no such blob exists, and the client says so. */
const noBlob = new Uint8Array(32);

export class Blobs {
  readonly #clock: Clock;
  readonly #nextId: () => number;
  readonly #send: (message: AgentServerMessage) => void;
  readonly #waiting = new Map<number, (data: Uint8Array | null) => void>();

  constructor(clock: Clock, nextId: () => number, send: (message: AgentServerMessage) => void) {
    this.#clock = clock;
    this.#nextId = nextId;
    this.#send = send;
  }

  /** Its answer proves that everything written before it has arrived. Returns its number. */
  mark(): number {
    return this.#ask(noBlob);
  }

  /** null: the client has no such blob, or gave no answer within `ms`. */
  fetch(blobId: Uint8Array, ms: number): Promise<Uint8Array | null> {
    return this.#answerTo(this.#ask(blobId), ms);
  }

  /** Resolves when the mark is answered, and at the latest after `ms`. */
  async proven(mark: number, ms: number): Promise<void> {
    await this.#answerTo(mark, ms);
  }

  answer({ id, message }: KvClientMessage): void {
    const data = message.case === "getBlobResult" ? message.value.blobData : undefined;
    this.#waiting.get(id)?.(data ?? null);
  }

  /** The attempt is over. */
  forget(): void {
    for (const answered of this.#waiting.values()) answered(null);
  }

  #ask(blobId: Uint8Array): number {
    const id = this.#nextId();
    const value = { id, message: { case: "getBlobArgs", value: { blobId } } } as const;
    this.#send(create(AgentServerMessageSchema, { message: { case: "kvServerMessage", value } }));
    return id;
  }

  #answerTo(id: number, ms: number): Promise<Uint8Array | null> {
    return new Promise((resolve) => {
      const end = (data: Uint8Array | null) => {
        callOff();
        this.#waiting.delete(id);
        resolve(data);
      };
      const callOff = this.#clock.after(ms, () => end(null));
      this.#waiting.set(id, end);
    });
  }
}
