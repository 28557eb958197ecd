/**
 * Whether a newer version is out: asked once a day where the releases are, and only when the user wants that.
 *
 * Nothing is installed, and the request says nothing but that an Ownkey asks. What comes back is read as hostile: a
 * version that must rise, notes that are text, and an address that is made here.
 */
import type { Dispatcher } from "undici";
import { z } from "zod";
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import type { UpdatesView, UpdateView } from "../contract/program.ts";
import type { Settings } from "../store/settings.ts";
import { version } from "./version.ts";

export interface Updates {
  get(): UpdatesView;
  /** Asks now. Throws `config` when this build does not know where, `network` or `upstream` when there is no answer. */
  check(): Promise<UpdatesView>;
  /** Asks when the last time was a day ago, and the user wants it: true when it did. */
  checkDaily(): Promise<boolean>;
}

export interface UpdateParts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly place: ReleasePlace | null;
  isWanted(): boolean;
  /** The way to that server. */
  dispatcher(url: string): Promise<Dispatcher>;
}

export interface ReleasePlace {
  /** Answers with the latest release, as GitHub describes one: never a draft or a pre-release. */
  readonly feed: string;
  /** For people; a version's own page is below it. */
  readonly page: string;
}

/** `owner/name` on GitHub. The release workflow builds it in; what was built elsewhere has none. */
const repository = process.env.OWNKEY_RELEASES ?? "";

export function releasePlace(name = repository): ReleasePlace | null {
  if (!/^[\w.-]+\/[\w.-]+$/.test(name)) return null;
  return {
    feed: `https://api.github.com/repos/${name}/releases/latest`,
    page: `https://github.com/${name}/releases`,
  };
}

const setting = "updates";
const dayMs = 24 * 60 * 60 * 1000;
const limitMs = 15_000;
const mostBytes = 256 * 1024;

const stored = z.strictObject({ checkedMs: z.int(), version: z.string(), notes: z.string() });

export function createUpdates({ settings, clock, place, isWanted, dispatcher }: UpdateParts): Updates {
  const last = () => stored.safeParse(settings.get(setting)).data;

  function found(): UpdateView | null {
    const known = last();
    if (!place || !known || !isNewer(known.version, version)) return null;
    return { version: known.version, notes: known.notes, page: `${place.page}/tag/v${known.version}` };
  }
  const get = (): UpdatesView => ({
    isKnown: place !== null,
    checkedMs: last()?.checkedMs ?? null,
    newer: found(),
  });

  async function check(): Promise<UpdatesView> {
    if (!place) throw new OwnkeyError("config", "This build does not say where its releases are.");
    const release = releaseIn(await ask(place.feed, await dispatcher(place.feed)));
    settings.set(setting, { checkedMs: clock.now(), ...release });
    return get();
  }

  return {
    get,
    check,
    async checkDaily() {
      const before = last()?.checkedMs ?? 0;
      if (!place || !isWanted() || Math.abs(clock.now() - before) < dayMs) return false;
      await check();
      return true;
    },
  };
}

async function ask(feed: string, dispatcher: Dispatcher): Promise<string> {
  const { request } = await import("undici");
  const { host } = new URL(feed);
  const headers = { accept: "application/vnd.github+json", "user-agent": "Ownkey" };
  try {
    const signal = AbortSignal.timeout(limitMs);
    const { statusCode, body } = await request(feed, { dispatcher, headers, signal });
    // A redirect is not followed: releases are where this build says, or nowhere.
    if (statusCode !== 200) {
      await body.dump();
      throw new OwnkeyError("upstream", `${host} answered ${statusCode} when asked for the latest release.`);
    }
    let text = "";
    for await (const piece of body.setEncoding("utf8")) {
      text += piece;
      if (text.length > mostBytes) throw new OwnkeyError("upstream", `${host} does not stop answering.`);
    }
    return text;
  } catch (cause) {
    if (cause instanceof OwnkeyError) throw cause;
    throw new OwnkeyError("network", `${host} could not be asked for the latest release.`, { cause });
  }
}

const release = z.object({
  tag_name: z.string().regex(/^v\d{1,6}(\.\d{1,6}){2}$/),
  body: z.string().nullish(),
  draft: z.literal(false),
  prerelease: z.literal(false),
});

/** Throws `upstream` for anything but a finished release. */
export function releaseIn(text: string): { readonly version: string; readonly notes: string } {
  try {
    const { tag_name, body } = release.parse(JSON.parse(text));
    return { version: tag_name.slice(1), notes: (body ?? "").slice(0, 20_000) };
  } catch (cause) {
    throw new OwnkeyError("upstream", "The answer about the latest release was not understood.", { cause });
  }
}

/** Of `1.2.3`, both. */
export function isNewer(a: string, b: string): boolean {
  const [left, right] = [a, b].map((each) => each.split(".").map(Number));
  const at = left?.findIndex((part, index) => part !== right?.[index]) ?? -1;
  return at >= 0 && (left?.[at] ?? 0) > (right?.[at] ?? 0);
}
