/** Where the window opens: where it was, as long as one can still reach it there. Pure. */

export interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const least = { width: 720, height: 480 };
const usual = { width: 1180, height: 780 };
/** So much of its upper edge has to be seen for it to be dragged. */
const grip = { width: 120, height: 32 };

/** `areas`: of all displays, without the system's bars; the main one first. */
export function boundsFor(kept: Bounds | null, areas: readonly Bounds[]): Bounds {
  const home = kept && areas.find((area) => isReachable(kept, area));
  if (kept && home) return { ...kept, ...sizeIn(kept, home) };
  const [main] = areas;
  if (!main) return { x: 0, y: 0, ...usual };
  const { width, height } = sizeIn(kept ?? usual, main);
  return {
    x: main.x + Math.round((main.width - width) / 2),
    y: main.y + Math.round((main.height - height) / 2),
    width,
    height,
  };
}

/** What was kept, if it is one. */
export function readBounds(text: string | null): Bounds | null {
  try {
    const { x, y, width, height } = JSON.parse(text ?? "null") as Record<keyof Bounds, unknown>;
    const all = [x, y, width, height];
    if (!all.every((each) => Number.isSafeInteger(each) && Math.abs(each as number) < 100_000)) return null;
    return { x, y, width, height } as Bounds;
  } catch {
    return null;
  }
}

const sizeIn = (wanted: Pick<Bounds, "width" | "height">, area: Bounds) => ({
  width: Math.min(Math.max(wanted.width, least.width), area.width),
  height: Math.min(Math.max(wanted.height, least.height), area.height),
});

function isReachable(bounds: Bounds, area: Bounds): boolean {
  const left = Math.max(bounds.x, area.x);
  const right = Math.min(bounds.x + bounds.width, area.x + area.width);
  return right - left >= grip.width && bounds.y >= area.y && bounds.y + grip.height <= area.y + area.height;
}
