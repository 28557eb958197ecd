/** The desktop app on a real folder, store and ports, in an Electron without a screen. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { startDesktop } from "../../src-main/shell/desktop.ts";
import type { Desktop } from "../../src-main/shell/running.ts";
import type { World } from "../../src-main/shell/world.ts";
import { createFakeClock, type FakeClock } from "../support/fake-clock.ts";
import { createFakeElectron, type FakeElectron, type FakeOptions } from "./fake-electron.ts";

export interface Stage {
  readonly electron: FakeElectron;
  readonly clock: FakeClock;
  readonly folder: string;
  /** null: it did not start. */
  readonly desktop: Desktop | null;
  readonly signal: () => void;
}

export async function openStage(
  t: TestContext,
  given: FakeOptions & { readonly world?: Partial<World>; readonly folder?: string } = {},
): Promise<Stage> {
  const scratch = mkdtempSync(join(tmpdir(), "ownkey-shell-"));
  const folder = given.folder ?? join(scratch, "data");
  const root = join(scratch, "app");
  mkdirSync(join(root, "out/renderer/assets"), { recursive: true });
  writeFileSync(join(root, "out/renderer/index.html"), "<!doctype html><title>page</title>");
  writeFileSync(join(root, "out/renderer/assets/a.js"), "1");
  writeFileSync(join(root, "secret.txt"), "secret");
  const electron = createFakeElectron(given);
  const clock = createFakeClock();
  let signal = () => {};
  const desktop = await startDesktop(electron.api, {
    ...{ argv: ["ownkey"], env: {}, clock, root, dataDir: folder, port: 0 },
    machine: { platform: "linux", arch: "x64", release: "6", versions: { electron: "45", node: "24" } },
    program: ["/bin/true"],
    hasTrayHost: async () => true,
    onSignal(listener) {
      signal = listener;
    },
    ...given.world,
  });
  t.after(async () => {
    await desktop?.program.close().catch(() => {});
    rmSync(scratch, { recursive: true, force: true });
  });
  return { electron, clock, folder, desktop, signal: () => signal() };
}

/** Of a stage whose app must have started. */
export function running({ desktop, electron }: Stage): Desktop {
  if (!desktop) throw new Error(`It did not start: ${JSON.stringify(electron.errors)}`);
  return desktop;
}
