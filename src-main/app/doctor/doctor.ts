/** Looks at each link between Cursor and the user's models, and says what is broken and what to do. */
import { readFileSync } from "node:fs";
import type { Clock } from "../../base/clock.ts";
import { OwnkeyError } from "../../base/errors.ts";
import type { CaView, Finding, FindingCode } from "../../contract/cursor.ts";
import type { Seen, Sightings } from "../../proxy/sightings.ts";
import type { Channels } from "../channels/channels.ts";
import type { RunningProxy } from "../proxy.ts";
import type { CursorSetup } from "../setup/cursor-setup.ts";
import type { Trust } from "../trust/trust.ts";
import { tryHandshake } from "./handshake.ts";

export interface DoctorParts {
  readonly clock: Clock;
  readonly channels: Pick<Channels, "enabled">;
  readonly trust: Pick<Trust, "show">;
  readonly setup: Pick<CursorSetup, "state">;
  readonly sightings: Sightings;
  /** null while nothing listens. */
  proxy(): RunningProxy | null;
}

type Link = Finding["link"];
type Verdict = Finding["verdict"];

export async function diagnose(parts: DoctorParts): Promise<readonly Finding[]> {
  const proxy = parts.proxy();
  const seen = parts.sightings.get();
  const found = await Promise.all([
    program(proxy),
    proxy ? proxied(proxy, parts) : [],
    certificate(parts),
    settings(parts),
    proxy ? upstream(proxy) : [],
    models(parts),
    traffic(seen, parts.clock),
    version(seen),
    account,
  ]);
  return found.flat();
}

type Said = Pick<Finding, "what" | "remedy" | "fill">;

const finding = (
  link: Link,
  verdict: Verdict,
  code: FindingCode,
  { remedy = null, fill = {}, what }: Partial<Said> & Pick<Said, "what">,
): Finding => ({ link, verdict, code, what, remedy, fill });

const program = (proxy: RunningProxy | null): Finding =>
  proxy
    ? finding("program", "good", "running", { what: "Ownkey is running." })
    : finding("program", "broken", "stopped", {
        what: "Ownkey is not running.",
        remedy: "Start it: ownkey serve",
      });

/** The proxy is in this very process: when it cannot be reached, something stands between. */
async function proxied(proxy: RunningProxy, { trust, sightings }: DoctorParts): Promise<readonly Finding[]> {
  const { file } = await trust.show();
  if (file === null) return [];
  const place = `127.0.0.1:${proxy.port}`;
  try {
    await tryHandshake(proxy.port, readFileSync(file, "utf8"), sightings.own);
    const what = `The proxy answers on ${place}, and its certificate holds.`;
    return [finding("proxy", "good", "answers", { what, fill: { place } })];
  } catch (cause) {
    const reason = (cause as Error).message;
    return [
      finding("proxy", "broken", "misled", {
        what: `The proxy runs, but ${place} does not lead to it: ${reason}.`,
        remedy:
          "A VPN, a TUN device or a firewall takes connections to this machine. Except 127.0.0.0/8 from it.",
        fill: { place, reason },
      }),
    ];
  }
}

async function certificate({ trust }: DoctorParts): Promise<readonly Finding[]> {
  const { state, problem, isDue, stores } = await trust.show();
  if (state === "none")
    return [
      finding("certificate", "doubtful", "no_certificate", {
        what: "There is no certificate, so Cursor is only passed through.",
        remedy: "ownkey ca install",
      }),
    ];
  if (state === "broken") {
    const what = problem ?? "";
    const remedy = "ownkey ca install --yes";
    return [finding("certificate", "broken", "bad_certificate", { what, remedy, fill: { reason: what } })];
  }
  const made = isDue
    ? finding("certificate", "doubtful", "certificate_due", {
        what: "The certificate ends soon.",
        remedy: "ownkey ca install",
      })
    : finding("certificate", "good", "certificate_good", { what: "The certificate is as it should be." });
  return [made, trusted(stores)];
}

function trusted(all: CaView["stores"]): Finding {
  const stores = all.filter((store) => store.trusted === true).map(({ title }) => title);
  const missing = all.filter((store) => store.trusted === false).map(({ name }) => name);
  const what = `It is trusted by ${stores.join(" and ")}.`;
  const fill = { stores: stores.join(", "), missing: missing.join(", ") };
  if (stores.length === 0)
    return finding("trust", "doubtful", "untrusted", {
      what: "No store of this system trusts it; Node programs may, by NODE_EXTRA_CA_CERTS.",
      remedy: `ownkey ca install ${missing.join(" ")}`,
    });
  if (missing.length === 0) return finding("trust", "good", "trusted", { what, fill });
  const remedy = `A part of Cursor may look elsewhere: ownkey ca install ${missing.join(" ")}`;
  return finding("trust", "doubtful", "partly_trusted", { what, remedy, fill });
}

function settings({ setup }: DoctorParts): Finding {
  try {
    const { isApplied, file, changed } = setup.state();
    if (!isApplied)
      return finding("settings", "doubtful", "not_applied", {
        what: "Cursor's settings do not lead to Ownkey.",
        remedy: "ownkey setup apply --yes",
      });
    const keys = changed.join(", ");
    const fill = { file: file ?? "", keys };
    if (changed.length > 0)
      return finding("settings", "broken", "changed", {
        what: `${file} was changed since: ${keys}.`,
        remedy: "ownkey setup undo, then ownkey setup apply --yes",
        fill,
      });
    return finding("settings", "good", "applied", { what: `${file} leads to Ownkey.`, fill });
  } catch (cause) {
    const what = OwnkeyError.from(cause).message;
    return finding("settings", "broken", "unreadable", {
      ...{ what, remedy: "ownkey setup undo", fill: { reason: what } },
    });
  }
}

async function upstream(proxy: RunningProxy): Promise<Finding> {
  try {
    await proxy.probe();
    return finding("upstream", "good", "reached", {
      what: "Cursor's server answers, and is who it says.",
    });
  } catch (cause) {
    const what = OwnkeyError.from(cause).message;
    const fill = { reason: what };
    if (/not yet valid|expired/i.test(what))
      return finding("upstream", "broken", "wrong_clock", {
        ...{ what, remedy: "Set the clock of this computer.", fill },
      });
    const remedy =
      "Is there internet? In a company's network name its proxy in HTTPS_PROXY, or in Cursor's http.proxy before the set-up.";
    return finding("upstream", "broken", "unreached", { what, remedy, fill });
  }
}

function models({ channels }: DoctorParts): Finding {
  const count = channels.enabled().length;
  if (count === 0)
    return finding("models", "broken", "no_models", {
      what: "There is no model of yours to offer.",
      remedy: "ownkey channel add --help",
    });
  const what = `${count} of your models ${count === 1 ? "is" : "are"} offered to Cursor.`;
  return finding("models", "good", "offered", { what, fill: { count: String(count) } });
}

function traffic({ lastRequestMs, lastDistrustMs, lastSilenceMs, http2 }: Seen, clock: Clock): Finding {
  const turnedBack = Math.max(lastDistrustMs ?? 0, lastSilenceMs ?? 0);
  if (turnedBack > (lastRequestMs ?? 0))
    return finding("traffic", "broken", "distrusted", {
      what: "A client came to the proxy and turned back: it does not trust the certificate.",
      remedy: "ownkey ca install with the stores of this system, then quit Cursor wholly and start it again.",
    });
  if (lastRequestMs === null)
    return finding("traffic", "doubtful", "silent", {
      what: "Cursor has asked nothing yet.",
      remedy: "Quit Cursor wholly and start it again.",
    });
  const minutes = Math.round((clock.now() - lastRequestMs) / 60_000);
  const wire = http2 > 0 ? ", over HTTP/2 too" : "";
  return finding("traffic", "good", "seen", {
    what: `Cursor asked last ${minutes === 0 ? "just now" : `${minutes} min ago`}${wire}.`,
    fill: { minutes: String(minutes) },
  });
}

/** Clients that runs were tried with. */
const tried = /^sdk-1\.0\./;

function version({ client, unknown }: Seen): readonly Finding[] {
  const calls = String(Object.keys(unknown).length);
  const news = finding("version", "unknown", "news", {
    what: `${calls} calls are unknown to this version; they are passed on.`,
    fill: { calls },
  });
  return calls === "0" ? [versionOf(client)] : [news, versionOf(client)];
}

function versionOf(client: string | null): Finding {
  if (client === null)
    return finding("version", "unknown", "unsaid", { what: "No client has said its version yet." });
  const fill = { client };
  return tried.test(client)
    ? finding("version", "good", "tried", { what: `${client} is one that was tried.`, fill })
    : finding("version", "unknown", "untried", {
        what: `${client} was not tried with this version of Ownkey.`,
        fill,
      });
}

const account: Finding = finding("account", "unknown", "account", {
  what: "Whether Cursor lets a Free account pick a model of yours is not known; Ownkey changes no plan.",
  remedy: "If the list of models is locked: `ownkey run -- COMMAND` and the SDK need no account at all.",
});
