/** What the model does in one turn: a function a step, found again by the number in the user's message. */
import type { Asked, ChatMessage, Model } from "../support/upstream.ts";

const scripts: (readonly Model[])[] = [];

/** The message that makes the model do `steps`, one for each time that it is asked. */
export function promptFor(steps: readonly Model[]): string {
  return `Carry out script ${scripts.push(steps) - 1}.`;
}

/** Plays the script that the newest message names, at the step that the history says is next. */
export const model: Model = async (asked, say) => {
  const at = asked.messages.findLastIndex(({ content }) => scriptIn(content) !== undefined);
  const step = asked.messages.slice(at).filter(({ role }) => role === "assistant").length;
  const play = scriptIn(asked.messages[at]?.content)?.[step];
  if (!play) return say.refuse(400, "the script has no such step");
  await play(asked, say);
};

/** The model repeats what its calls brought. */
export const tellResults: Model = ({ results }, say) => say.text(results.join(" | "));

export const says =
  (text: string): Model =>
  (_, say) =>
    say.text(text);

export const calls =
  (name: string, args: object): Model =>
  (_, say) =>
    say.call(name, args);

/** Several calls in one answer. */
export const together =
  (...steps: readonly Model[]): Model =>
  async (asked, say) => {
    for (const step of steps) await step(asked, say);
  };

/** The images that the model was sent, each as its data URL. */
export const imagesIn = (asked: Asked | undefined): string[] =>
  (asked?.messages ?? []).flatMap(({ content }) =>
    Array.isArray(content)
      ? content.flatMap(
          (part: { readonly image_url?: { readonly url: string } }) => part.image_url?.url ?? [],
        )
      : [],
  );

function scriptIn(content: ChatMessage["content"]): readonly Model[] | undefined {
  const [, number] = /Carry out script (\d+)\./.exec(JSON.stringify(content) ?? "") ?? [];
  return number === undefined ? undefined : scripts[Number(number)];
}
