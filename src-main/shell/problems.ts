/** What is broken and can be told without asking anybody outside: what the tray warns of. */
import type { ChannelView } from "../contract/channels.ts";
import type { Client } from "../contract/contract.ts";
import type { CaView, SetupState } from "../contract/cursor.ts";
import type { Status } from "../contract/program.ts";
import type { Problem } from "./tray/view.ts";

export async function findProblems({ call }: Client): Promise<readonly Problem[]> {
  const [status, channels] = await Promise.all([call("status.get", null), call("channels.list", null)]);
  const setup = status.isSetUp
    ? await Promise.all([call("ca.show", null), call("setup.status", null)])
    : ([null, null] as const);
  return problemsIn({ status, channels, ca: setup[0], setup: setup[1] });
}

interface Facts {
  readonly status: Status;
  readonly channels: readonly ChannelView[];
  /** null, like `setup`: Cursor does not lead here, so nobody is the worse for it. */
  readonly ca: CaView | null;
  readonly setup: SetupState | null;
}

export function problemsIn({ channels, ca, setup }: Facts): readonly Problem[] {
  const lacking = channels.filter(
    ({ enabled, key }) => enabled && (key === "missing" || key === "unreadable"),
  );
  const none = { subject: "", page: "connect" };
  return [
    ...(ca && setup && !isTrusted(ca, setup) ? [{ name: "certificate", ...none } as const] : []),
    ...(setup && setup.changed.length > 0 ? [{ name: "settings", ...none } as const] : []),
    ...lacking.map(({ id, name }) => ({ name: "keys", subject: name, page: `channels/${id}` }) as const),
  ];
}

/** A store that could not be asked is no reason to warn. */
const isTrusted = ({ state, stores }: CaView, { isTrustedElsewhere }: SetupState): boolean =>
  state === "ready" &&
  (isTrustedElsewhere || stores.length === 0 || stores.some(({ trusted }) => trusted !== false));
