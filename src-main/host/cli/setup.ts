/** The commands about Cursor's settings: what would change, changing it, and taking it back. */
import type { Client } from "../../contract/contract.ts";
import type { SetupPlan } from "../../contract/cursor.ts";
import type { Command, Given, Options } from "./command.ts";
import { plain, print, printJson, tell } from "./print.ts";

const target: Options = { settings: "text", home: "text", json: "flag" };
const aboutTarget = [
  "--settings FILE  Cursor's settings.json, if it is not where your system has it",
  "--home DIR       looks for it in this home folder",
];

const setting: readonly Command[] = [
  {
    name: "setup plan",
    usage: "[--settings FILE] [--home DIR] [--json]",
    about: "Shows what would be changed in Cursor's settings, and changes nothing",
    help: aboutTarget,
    options: target,
    run: (given, world) =>
      world.withClient(async (client) => {
        const plan = await client.call("setup.plan", targetOf(given));
        if (given.flag("json")) printJson(plan);
        else show(plan);
        return 0;
      }),
  },
  {
    name: "setup apply",
    usage: "--yes [--settings FILE] [--home DIR] [--untrusted] [--json]",
    about: "Lets Cursor reach its servers through Ownkey, as long as Ownkey runs",
    help: [
      "Without --yes it shows the plan only. When Ownkey ends, however it ends, the settings go back.",
      ...aboutTarget,
      "--untrusted      although no store trusts the certificate: you start Cursor with NODE_EXTRA_CA_CERTS",
    ],
    options: { ...target, yes: "flag", untrusted: "flag" },
    run: (given, world) =>
      world.withClient(async (client) => {
        const wanted = targetOf(given);
        if (!given.flag("yes")) {
          show(await client.call("setup.plan", wanted));
          tell("Nothing was changed. To do it: ownkey setup apply --yes");
          return 1;
        }
        const plan = await client.call("setup.apply", { ...wanted, untrusted: given.flag("untrusted") });
        if (given.flag("json")) printJson(plan);
        else {
          show(plan);
          tell("Done. Quit Cursor and start it again. To take it back: ownkey setup undo");
        }
        return 0;
      }),
  },
  {
    name: "setup undo",
    usage: "[--json]",
    about: "Puts Cursor's settings back as they were, also after a crash",
    options: { json: "flag" },
    run: (given, world) =>
      world.withClient(async (client) => {
        const undone = await client.call("setup.undo", null);
        if (given.flag("json")) printJson(undone);
        else if (!undone) tell("There is nothing to undo.");
        else {
          tell(`${undone.file} is as it was.`);
          if (undone.left.length > 0)
            tell(`Changed by somebody else since, and left so: ${undone.left.join(", ")}`);
        }
        return 0;
      }),
  },
  {
    name: "setup restore",
    usage: "",
    about: "Puts Cursor's settings back if Ownkey does not run; its next start sets them again",
    help: ["What the entry at login does after a power cut."],
    async run(_given, { dataDir }) {
      const { restoreSetup } = await import("../restore.ts");
      const undone = await restoreSetup(dataDir);
      tell(undone ? `${undone.file} is as it was.` : "There is nothing to put back.");
      return 0;
    },
  },
  {
    name: "setup status",
    usage: "[--json]",
    about: "Tells whether Cursor's settings lead to Ownkey; 1 when they do not, or were changed since",
    options: { json: "flag" },
    run: (given, world) =>
      world.withClient(async (client) => {
        const state = await client.call("setup.status", null);
        if (given.flag("json")) printJson(state);
        else if (!state.isApplied) print("Cursor's settings are its own.");
        else print(`${plain(state.file ?? "")} leads to Ownkey.`);
        if (state.changed.length > 0) tell(`Set by somebody else since: ${state.changed.join(", ")}`);
        return state.isApplied && state.changed.length === 0 ? 0 : 1;
      }),
  },
];

/** A command without options, and what is told once it is done. */
const told = (name: string, about: string, work: (client: Client) => Promise<string>): Command => ({
  ...{ name, usage: "", about },
  run: (_given, world) =>
    world.withClient(async (client) => {
      tell(await work(client));
      return 0;
    }),
});

/** One meaning everywhere: `pause` keeps Cursor's settings, `off` puts them back. */
const switches: readonly Command[] = [
  told("pause", "Passes everything through to Cursor's servers; its settings stay", async (client) => {
    await client.call("proxy.pause", { paused: true });
    return "Paused: Cursor sees its own models only. To go on: ownkey resume";
  }),
  told("resume", "Serves your models again after `pause`", async (client) => {
    await client.call("proxy.pause", { paused: false });
    return "Your models are served.";
  }),
  told("off", "Puts Cursor's settings back, as `setup undo` does", async (client) => {
    const undone = await client.call("setup.undo", null);
    return undone ? `${undone.file} is as it was. To go on: ownkey on` : "It is off.";
  }),
  told("on", "Sets Cursor's settings again, where they were set last", async (client) => {
    const { file } = await client.call("setup.again", null);
    return `${file} leads to Ownkey. Quit Cursor and start it again.`;
  }),
];

export const setupCommands: readonly Command[] = [...setting, ...switches];

const targetOf = (given: Given) => ({
  settings: given.text("settings") ?? null,
  home: given.text("home") ?? null,
});

/** As a diff. */
function show({ file, isNew, changes, upstreamProxy, loginEntry }: SetupPlan): void {
  print(`${plain(file)}${isNew ? " (new)" : ""}`);
  for (const { key, before, after } of changes) {
    if (JSON.stringify(before) === JSON.stringify(after)) continue;
    if (before !== null) print(`- "${key}": ${plain(JSON.stringify(before))}`);
    print(`+ "${key}": ${plain(JSON.stringify(after))}`);
  }
  if (loginEntry !== null)
    print(`+ ${plain(loginEntry)} (new): puts all of this back at login after a power cut`);
  if (upstreamProxy !== null) print(`Cursor's traffic goes on through ${plain(hidden(upstreamProxy))}.`);
}

/** A proxy's password is nobody's business. */
const hidden = (address: string): string => address.replace(/\/\/[^@/]*@/, "//…@");
