/** A model that the client has chosen and that is not there (any more). */
import { OwnkeyError } from "../base/errors.ts";

/** Never another model in silence: whoever chose this one is told which it was. `name`: null for no channel at all. */
export function notOffered(id: string, name: string | null): OwnkeyError {
  const what =
    name === null
      ? `No enabled channel has the id ${JSON.stringify(id)}.`
      : `The channel ${JSON.stringify(name)} was removed or is switched off.`;
  return new OwnkeyError("config", `${what} Pick another model.`);
}
