/** What is asked about a server before it is a channel. Pure. */
import type { ChannelView, Probe } from "../../../src-main/contract/channels.ts";
import { type Draft, sentOf } from "./draft.ts";

/** With the fields that an answer depends on; the key of a known channel is used when none was typed. */
export function probeOf(draft: Draft, channel: ChannelView | null): Probe {
  const { format, baseUrl, model, auth, extraHeaders, proxy, caFile, allowsPlainHttp } = sentOf(draft).fields;
  const fields = { format, baseUrl, auth, extraHeaders, proxy, caFile, allowsPlainHttp };
  return {
    fields: { ...fields, ...(model.trim() === "" ? {} : { model }) },
    key: draft.key.trim() === "" ? null : draft.key,
    ...(channel && draft.key.trim() === "" ? { id: channel.id } : {}),
  };
}
