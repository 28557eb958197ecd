/** A model that speaks when it is told, and says all at once when it is asked again. */
import { type Gate, gate } from "./flow.ts";
import type { Model } from "./upstream.ts";

/** Says its pieces one by one, each when its gate opens; a second request of the same turn says all at once. */
export function spoken(pieces: readonly string[]): {
  readonly model: Model;
  readonly gates: readonly Gate[];
} {
  const gates = pieces.map(() => gate());
  const model: Model = async ({ nth }, say) => {
    for (const [at, piece] of pieces.entries()) {
      if (nth === 0) await Promise.race([gates[at]?.opened, say.gone]);
      say.text(piece);
    }
  };
  return { model, gates };
}
