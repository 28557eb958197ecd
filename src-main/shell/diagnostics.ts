/** What "copy diagnostics" copies: this list, and nothing that is not on it. No path, name, address or key. */
import type { Status } from "../contract/program.ts";
import type { KeyStore } from "./system/key-store.ts";
import type { Problem } from "./tray/view.ts";

export interface Machine {
  readonly platform: string;
  readonly arch: string;
  readonly release: string;
  readonly versions: Readonly<Partial<Record<string, string>>>;
}

export function diagnosticsOf(
  status: Status,
  keyStore: Pick<KeyStore, "problem">,
  problems: readonly Problem[],
  { platform, arch, release, versions }: Machine,
): string {
  const facts = {
    ownkey: status.version,
    system: `${platform} ${release} ${arch}`,
    electron: versions.electron ?? null,
    node: versions.node ?? null,
    ports: { direct: status.port, proxy: status.proxyPort },
    isSetUp: status.isSetUp,
    isPaused: status.isPaused,
    channels: { enabled: status.channels.enabled, total: status.channels.total },
    localKeys: status.keys,
    runs: status.runs,
    keysSealedBy: status.sealer,
    keyStore: keyStore.problem ?? "good",
    problems: problems.map(({ name }) => name),
  };
  return JSON.stringify(facts, null, 2);
}
