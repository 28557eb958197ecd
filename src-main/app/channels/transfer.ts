/**
 * Channels as a text that travels: to another machine, or away and back.
 *
 * Without keys it is plain JSON. With a passphrase it holds the secrets too, encrypted: scrypt (N 2^17, r 8, p 1) makes
 * the key, AES-256-GCM seals, and what stands around is authenticated with it. A wrong passphrase and a damaged text
 * are one error. What comes in is strange until it is parsed: it arrives off, never takes a key that was here, and may
 * not lead to where an entered address may not.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { z } from "zod";
import { OwnkeyError } from "../../base/errors.ts";
import { canonical, type Json, parseJson } from "../../base/json.ts";
import type { AddChannel, ChannelSecrets, Imported } from "../../contract/channels.ts";
import type { Channel } from "../../llm/types.ts";
import type { ProviderKeys } from "../provider-keys.ts";
import type { Channels } from "./channels.ts";
import { addChannel, fieldsOf, setChannel } from "./fields.ts";
import { fold, freeName } from "./names.ts";
import { headerPlaceOf, keyPlaceOf, proxyPlaceOf } from "./places.ts";

const longest = 5 * 1024 * 1024;
const shortestPassphrase = 12;
const cost = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 } as const;

export const importing = z.strictObject({
  text: z.string().max(longest, "must be smaller than 5 MiB"),
  passphrase: z.string().max(1000).nullable(),
  same: z.enum(["skip", "replace", "keep both"]),
  isTrial: z.boolean(),
});

export const exporting = z.strictObject({ passphrase: z.string().max(1000).nullable() });

const plainText = z.strictObject({
  ownkey: z.literal("channels"),
  version: z.literal(1),
  channels: z.array(addChannel).max(1000),
});

const head = { ownkey: "channels, encrypted", version: 1 } as const;
const sealedText = z.strictObject({
  ownkey: z.literal(head.ownkey),
  version: z.literal(head.version),
  salt: z.base64(),
  nonce: z.base64(),
  sealed: z.base64(),
});

// ---- out -----------------------------------------------------------------------------------------------

export async function exportChannels(
  channels: Channels,
  keys: ProviderKeys,
  passphrase: string | null,
): Promise<{ readonly text: string }> {
  const all = channels.list().map(({ id }) => channels.get(id));
  if (passphrase === null) return { text: textOf(all.map((channel) => withoutSecrets(channel))) };
  if (passphrase.length < shortestPassphrase)
    throw new OwnkeyError("config", `The passphrase must have at least ${shortestPassphrase} characters.`);
  const text = textOf(all.map((channel) => withSecrets(channel, keys)));
  return { text: await sealed(text, passphrase) };
}

const textOf = (channels: readonly AddChannel[]): string =>
  JSON.stringify({ ownkey: "channels", version: 1, channels }, null, 2);

/** Extra fields may hold anything, also what nobody meant to show: they stay, headers that are secret are not here. */
const withoutSecrets = (channel: Channel): AddChannel => ({
  fields: fieldsOf(channel),
  key: null,
  enabled: false,
});

function withSecrets(channel: Channel, keys: ProviderKeys): AddChannel {
  const opened = (place: ReturnType<typeof proxyPlaceOf>) =>
    place && keys.state(place) === "set" ? keys.open(place) : null;
  const headers = channel.secretHeaders.map((name) => [name, opened(headerPlaceOf(channel, name))] as const);
  const proxy = opened(proxyPlaceOf(channel));
  const secrets: ChannelSecrets = {
    headers: Object.fromEntries(headers.filter(([, value]) => value !== null)),
    ...(proxy === null ? {} : { proxy }),
  };
  return { ...withoutSecrets(channel), key: opened(keyPlaceOf(channel)), secrets };
}

async function sealed(text: string, passphrase: string): Promise<string> {
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", await keyOf(passphrase, salt), nonce);
  cipher.setAAD(Buffer.from(canonical({ ...head, salt: salt.toString("base64") })));
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  const [saltText, nonceText, sealedBody] = [salt, nonce, body].map((bytes) => bytes.toString("base64"));
  return JSON.stringify({ ...head, salt: saltText, nonce: nonceText, sealed: sealedBody }, null, 2);
}

const keyOf = (passphrase: string, salt: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(passphrase.normalize("NFKC"), salt, 32, cost, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });

// ---- in ------------------------------------------------------------------------------------------------

/** `isTrial`: says what would become of each, and does nothing. Throws `config` before anything was done. */
export async function importChannels(
  { text, passphrase, same, isTrial }: z.infer<typeof importing>,
  channels: Channels,
): Promise<readonly Imported[]> {
  const drafts = await read(text, passphrase);
  const known = new Map(channels.list().map((channel) => [fold(channel.name), channel]));
  return drafts.map((draft) => {
    const { name, baseUrl } = draft.fields;
    const before = known.get(fold(name));
    const host = URL.parse(baseUrl)?.host ?? baseUrl;
    if (before && same === "skip") return { name, host, what: "skipped" };
    const what = before && same === "replace" ? "replaced" : "added";
    if (!isTrial) take(draft, what === "replaced" ? (before?.id ?? null) : null, channels);
    return { name, host, what };
  });
}

/** Off, whatever it says; the user's word for plain http is the user's to give here, too. */
function take(draft: AddChannel, before: string | null, channels: Channels): void {
  const fields = { ...draft.fields, allowsPlainHttp: false };
  const secrets = draft.secrets ?? {};
  if (before !== null) {
    const id = before;
    // The key that was here stays behind: the text may lead elsewhere.
    channels.set(setChannel.parse({ id, fields, enabled: false, key: draft.key, secrets }));
    return;
  }
  const all = channels.list();
  const label = fields.label ? { label: freeName(fields.label, all) } : {};
  channels.add({
    ...draft,
    fields: { ...fields, ...label, name: freeName(fields.name, all) },
    enabled: false,
  });
}

async function read(text: string, passphrase: string | null): Promise<readonly AddChannel[]> {
  const value = parsed(text);
  const { success, data } = sealedText.safeParse(value);
  const plain = success ? parsed(await opened(data, passphrase)) : value;
  const result = plainText.safeParse(plain);
  if (result.success) return result.data.channels;
  const [issue] = result.error.issues;
  const place = issue?.path.map(String).join(".") ?? "";
  throw new OwnkeyError(
    "config",
    `This is no export of channels (${place || "the whole"}: ${issue?.message}).`,
  );
}

function parsed(text: string): Json {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new OwnkeyError("config", `This is no export of channels: ${(cause as Error).message}.`, { cause });
  }
}

async function opened(
  { salt, nonce, sealed: body }: z.infer<typeof sealedText>,
  passphrase: string | null,
): Promise<string> {
  if (passphrase === null) throw new OwnkeyError("config", "This export is encrypted: enter its passphrase.");
  const bytes = Buffer.from(body, "base64");
  const saltBytes = Buffer.from(salt, "base64");
  try {
    const key = await keyOf(passphrase, saltBytes);
    const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64"), {
      authTagLength: 16,
    });
    decipher.setAAD(Buffer.from(canonical({ ...head, salt: saltBytes.toString("base64") })));
    decipher.setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString("utf8");
  } catch (cause) {
    throw new OwnkeyError("config", "The passphrase is wrong, or the export is damaged.", { cause });
  }
}
