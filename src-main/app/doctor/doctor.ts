/** Looks at each link between Cursor and the user's models, and says what is broken and what to do. */
import { readFileSync } from "node:fs";
import type { Clock } from "../../base/clock.ts";
import { OwnkeyError } from "../../base/errors.ts";
import type { Finding } from "../../contract.ts";
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

const finding = (link: Link, verdict: Verdict, what: string, remedy: string | null = null): Finding => ({
  link,
  verdict,
  what,
  remedy,
});

const program = (proxy: RunningProxy | null): Finding =>
  proxy
    ? finding("program", "good", "Ownkey is running.")
    : finding("program", "broken", "Ownkey is not running.", "Start it: ownkey serve");

/** The proxy is in this very process: when it cannot be reached, something stands between. */
async function proxied(proxy: RunningProxy, { trust, sightings }: DoctorParts): Promise<readonly Finding[]> {
  const { file } = await trust.show();
  if (file === null) return [];
  try {
    await tryHandshake(proxy.port, readFileSync(file, "utf8"), sightings.own);
    return [
      finding("proxy", "good", `The proxy answers on 127.0.0.1:${proxy.port}, and its certificate holds.`),
    ];
  } catch (reason) {
    return [
      finding(
        "proxy",
        "broken",
        `The proxy runs, but 127.0.0.1:${proxy.port} does not lead to it: ${(reason as Error).message}.`,
        "A VPN, a TUN device or a firewall takes connections to this machine. Except 127.0.0.0/8 from it.",
      ),
    ];
  }
}

async function certificate({ trust }: DoctorParts): Promise<readonly Finding[]> {
  const { state, problem, isDue, stores } = await trust.show();
  if (state === "none")
    return [
      finding(
        "certificate",
        "doubtful",
        "There is no certificate, so Cursor is only passed through.",
        "ownkey ca install",
      ),
    ];
  if (state === "broken") return [finding("certificate", "broken", problem ?? "", "ownkey ca install --yes")];
  const trusted = stores.filter((store) => store.trusted === true);
  const missing = stores.filter((store) => store.trusted === false).map(({ name }) => name);
  return [
    isDue
      ? finding("certificate", "doubtful", "The certificate ends soon.", "ownkey ca install")
      : finding("certificate", "good", "The certificate is as it should be."),
    trusted.length > 0
      ? finding(
          "trust",
          missing.length > 0 ? "doubtful" : "good",
          `It is trusted by ${trusted.map(({ title }) => title).join(" and ")}.`,
          missing.length > 0
            ? `A part of Cursor may look elsewhere: ownkey ca install ${missing.join(" ")}`
            : null,
        )
      : finding(
          "trust",
          "doubtful",
          "No store of this system trusts it; Node programs may, by NODE_EXTRA_CA_CERTS.",
          `ownkey ca install ${missing.join(" ")}`,
        ),
  ];
}

function settings({ setup }: DoctorParts): Finding {
  try {
    const { isApplied, file, changed } = setup.state();
    if (!isApplied)
      return finding(
        "settings",
        "doubtful",
        "Cursor's settings do not lead to Ownkey.",
        "ownkey setup apply --yes",
      );
    if (changed.length > 0)
      return finding(
        "settings",
        "broken",
        `${file} was changed since: ${changed.join(", ")}.`,
        "ownkey setup undo, then ownkey setup apply --yes",
      );
    return finding("settings", "good", `${file} leads to Ownkey.`);
  } catch (reason) {
    return finding("settings", "broken", OwnkeyError.from(reason).message, "ownkey setup undo");
  }
}

async function upstream(proxy: RunningProxy): Promise<Finding> {
  try {
    await proxy.probe();
    return finding("upstream", "good", "Cursor's server answers, and is who it says.");
  } catch (reason) {
    const { message } = OwnkeyError.from(reason);
    const isAboutTime = /not yet valid|expired/i.test(message);
    return finding(
      "upstream",
      "broken",
      message,
      isAboutTime
        ? "Set the clock of this computer."
        : "Is there internet? In a company's network name its proxy in HTTPS_PROXY, or in Cursor's http.proxy before the set-up.",
    );
  }
}

function models({ channels }: DoctorParts): Finding {
  const count = channels.enabled().length;
  return count > 0
    ? finding("models", "good", `${count} of your models ${count === 1 ? "is" : "are"} offered to Cursor.`)
    : finding("models", "broken", "There is no model of yours to offer.", "ownkey channel add --help");
}

function traffic({ lastRequestMs, lastDistrustMs, lastSilenceMs, http2 }: Seen, clock: Clock): Finding {
  const distrusted = Math.max(lastDistrustMs ?? 0, lastSilenceMs ?? 0);
  if (distrusted > (lastRequestMs ?? 0))
    return finding(
      "traffic",
      "broken",
      "A client came to the proxy and turned back: it does not trust the certificate.",
      "ownkey ca install with the stores of this system, then quit Cursor wholly and start it again.",
    );
  if (lastRequestMs === null)
    return finding(
      "traffic",
      "doubtful",
      "Cursor has asked nothing yet.",
      "Quit Cursor wholly and start it again.",
    );
  const minutes = Math.round((clock.now() - lastRequestMs) / 60_000);
  const wire = http2 > 0 ? ", over HTTP/2 too" : "";
  return finding(
    "traffic",
    "good",
    `Cursor asked last ${minutes === 0 ? "just now" : `${minutes} min ago`}${wire}.`,
  );
}

/** Clients that runs were tried with. */
const tried = /^sdk-1\.0\./;

function version({ client, unknown }: Seen): Finding {
  const news = Object.keys(unknown).length;
  const more = news > 0 ? ` ${news} calls are unknown to this version; they are passed on.` : "";
  if (client === null) return finding("version", "unknown", `No client has said its version yet.${more}`);
  return tried.test(client)
    ? finding("version", "good", `${client} is one that was tried.${more}`)
    : finding("version", "unknown", `${client} was not tried with this version of Ownkey.${more}`);
}

const account: Finding = finding(
  "account",
  "unknown",
  "Whether Cursor lets a Free account pick a model of yours is not known; Ownkey changes no plan.",
  "If the list of models is locked: `ownkey run -- COMMAND` and the SDK need no account at all.",
);
