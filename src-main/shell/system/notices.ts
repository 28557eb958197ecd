/** The system's notifications: one for each cause in an hour, and none while the window is looked at. */
import type { Clock } from "../../base/clock.ts";
import type { NoticesApi } from "../electron.ts";

export interface Notice {
  /** Of the same cause only one is shown in an hour. */
  readonly cause: string;
  readonly title: string;
  readonly body: string;
  onClick(): void;
}

const hourMs = 60 * 60 * 1000;

export function createNotices(Notification: NoticesApi, clock: Clock, isSeen: () => boolean) {
  const shown = new Map<string, number>();
  return ({ cause, title, body, onClick }: Notice): void => {
    const last = shown.get(cause);
    if (isSeen() || !Notification.isSupported() || (last !== undefined && clock.now() - last < hourMs))
      return;
    shown.set(cause, clock.now());
    const notification = new Notification({ title, body, silent: true });
    notification.on("click", onClick);
    notification.show();
  };
}
