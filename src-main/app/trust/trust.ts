/**
 * Where our certificate is trusted: put in, proven, taken out.
 *
 * Each store that it goes into is remembered first, so that every certificate, also one of before a renewal, is found
 * again and removed, whatever happened in between.
 */
import { z } from "zod";
import { OwnkeyError } from "../../base/errors.ts";
import type { CaView, TrustStoreName } from "../../contract/cursor.ts";
import type { Authority } from "../../proxy/authority.ts";
import type { Store } from "../../store/store.ts";
import type { AuthorityState, KeptAuthority } from "./kept-authority.ts";
import type { TrustStore } from "./stores.ts";

export interface Trust {
  show(): Promise<CaView>;
  /**
   * Makes what is missing, broken or due anew, or with `renew` what is good, and puts it into these stores and those
   * that the one before was in. Throws `config` with what failed.
   */
  install(stores: readonly TrustStoreName[], renew?: boolean): Promise<CaView>;
  /** Out of every store it was ever put into; `forget` destroys key and certificate, too. */
  remove(forget: boolean): Promise<CaView>;
}

const setting = "trusted";
const records = z.array(z.object({ store: z.string(), sha256: z.string(), sha1: z.string() }));
type Record = z.infer<typeof records>[number];

export function createTrust(
  kept: KeptAuthority,
  stores: readonly TrustStore[],
  settings: Pick<Store["settings"], "get" | "set">,
): Trust {
  const remembered = (): readonly Record[] => records.safeParse(settings.get(setting)).data ?? [];
  const isSame = (a: Record, b: Record) => a.store === b.store && a.sha256 === b.sha256;

  async function show(): Promise<CaView> {
    const state = kept.load();
    const found = await Promise.all(
      stores.map(async (store) => ({ store, has: await store.list().catch(() => null) })),
    );
    return viewOf(kept, state, found);
  }

  async function takeOut(record: Record): Promise<void> {
    const store = stores.find(({ name }) => name === record.store);
    if (store && (await store.list()).includes(record.sha256)) {
      await store.remove(record);
      if ((await store.list()).includes(record.sha256))
        throw new OwnkeyError(
          "config",
          `The certificate is still in ${store.title}. Remove it there by hand.`,
        );
    }
    settings.set(setting, [...remembered().filter((each) => !isSame(each, record))]);
  }

  async function install(names: readonly TrustStoreName[], renew = false): Promise<CaView> {
    const before = kept.load();
    const wanted = new Set<string>(names);
    if (before.type !== "ready" || before.isDue || renew) {
      for (const record of remembered()) {
        wanted.add(record.store);
        await takeOut(record);
      }
      await kept.make();
    }
    const authority = kept.current();
    if (!authority) throw new OwnkeyError("bug", "There is no certificate.");
    for (const name of wanted) await putInto(name, authority);
    return show();
  }

  async function putInto(name: string, authority: Authority): Promise<void> {
    const store = stores.find((each) => each.name === name);
    if (!store) throw new OwnkeyError("config", `There is no store "${name}" on this system.`);
    const record = { store: name, sha256: authority.sha256, sha1: authority.sha1 };
    settings.set(setting, [...remembered().filter((each) => !isSame(each, record)), record]);
    await store.install({ ...authority, file: kept.file });
    if (!(await store.list()).includes(authority.sha256))
      throw new OwnkeyError(
        "config",
        `The certificate did not arrive in ${store.title}. Was the question declined?`,
      );
  }

  return {
    show,
    install,
    async remove(forget) {
      for (const record of remembered()) await takeOut(record);
      if (forget) kept.destroy();
      return show();
    },
  };
}

type Found = readonly { readonly store: TrustStore; readonly has: readonly string[] | null }[];

function viewOf(kept: KeptAuthority, state: AuthorityState, found: Found): CaView {
  const authority = kept.current();
  return {
    state: state.type,
    problem: state.type === "broken" ? state.reason : null,
    file: authority ? kept.file : null,
    name: authority?.name ?? null,
    sha256: authority?.sha256 ?? null,
    endsMs: authority?.notAfterMs ?? null,
    isDue: state.type === "ready" && state.isDue,
    stores: found.map(({ store, has }) => ({
      name: store.name,
      title: store.title,
      trusted: has === null ? null : authority !== null && has.includes(authority.sha256),
      manual: authority ? store.manual({ ...authority, file: kept.file }) : [],
    })),
  };
}
