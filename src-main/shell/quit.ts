/**
 * The end of the app: asked about while runs are at work, and never without Cursor's settings put back.
 *
 *   quit by the user   asks when runs are at work, then parks them and closes
 *   log-out, shutdown, a signal   nobody is there to be asked: closes at once
 *
 * `close` puts Cursor's settings back before it returns for the first time, so even a system that waits for nobody
 * leaves them whole.
 */
import type { Clock } from "../base/clock.ts";
import type { AppApi, DialogApi } from "./electron.ts";
import type { ShellWords } from "./words.ts";

export interface QuitOptions {
  readonly app: Pick<AppApi, "exit" | "on">;
  readonly dialog: Pick<DialogApi, "showMessageBox">;
  readonly clock: Clock;
  words(): ShellWords;
  /** How many are at work. */
  runs(): number;
  close(): Promise<void>;
}

export interface Quit {
  /** Nothing can stop it any more: windows may go. */
  isLeaving(): boolean;
  /** As the user's own wish. */
  ask(): Promise<void>;
  atOnce(): Promise<void>;
}

/** How long what is still open may hold up the end. */
const graceMs = 3000;

export function createQuit({ app, dialog, clock, words, runs, close }: QuitOptions): Quit {
  let isAsking = false;
  let leaving: Promise<void> | null = null;

  async function leave(): Promise<void> {
    const callOff = clock.after(graceMs, () => app.exit(1));
    await close();
    callOff();
    app.exit(0);
  }

  async function isAgreed(): Promise<boolean> {
    const count = runs();
    if (count === 0) return true;
    const { response } = await dialog.showMessageBox({
      type: "question",
      message: words()["quit.ask"](count),
      detail: words()["quit.detail"],
      buttons: [words().quit, words().cancel],
      defaultId: 1,
      cancelId: 1,
      noLink: true,
    });
    return response === 0;
  }

  async function ask(): Promise<void> {
    if (isAsking || leaving !== null) return;
    isAsking = true;
    try {
      if (await isAgreed()) await atOnce();
    } finally {
      isAsking = false;
    }
  }

  const atOnce = () => (leaving ??= leave());

  app.on("before-quit", (event) => {
    event.preventDefault();
    void ask();
  });
  return { isLeaving: () => leaving !== null, ask, atOnce };
}
