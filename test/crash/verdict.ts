/** Whether a conversation that was disturbed is the one that it would have been. */
import type { Stored } from "./messages.ts";
import { plays, textOf } from "./plays.ts";
import { complaintsAbout } from "./shown.ts";
import type { User } from "./user.ts";

/** A conversation that nobody disturbed. */
export interface Model {
  readonly messages: readonly string[];
  readonly carriedOut: readonly string[];
  readonly files: ReadonlyMap<string, string>;
}

export function modelOf({ tag, client }: User, { messages }: Stored): Model {
  const { carriedOut, files } = client.machine;
  return { messages: nameless(messages, tag), carriedOut, files };
}

/** What went wrong for the user of this conversation: sentences. */
export function judge(user: User, stored: Stored, model: Model | null): string[] {
  const wrong = [
    ...stored.violations,
    ...endings(user),
    ...user.turns.flatMap(({ seen }, at) => complaintsAbout(seen, answersOf(user, at))),
  ];
  if (stored.phase !== "final") wrong.push(`the conversation is left ${stored.phase}`);
  if (model)
    wrong.push(...differences(user, nameless(stored.messages, user.tag), model), ...deeds(user, model));
  return wrong;
}

function endings({ turns, play }: User): string[] {
  const wrong = turns.flatMap(({ end, seen }, at) => {
    const ends = seen.filter(
      ({ message }) => message.case === "interactionUpdate" && message.value.message.case === "turnEnded",
    );
    if (end.type !== "finished") return [`turn ${at} ended ${JSON.stringify(end)}`];
    return ends.length > 0 ? [] : [`turn ${at} has no turn_ended`];
  });
  const left = (plays[play]?.length ?? 0) - turns.length;
  return left > 0 ? [...wrong, `${left} turns were not taken`] : wrong;
}

const answersOf = ({ play }: User, turn: number): readonly string[] =>
  (plays[play]?.[turn] ?? []).map(textOf);

/** Its own name in the user's messages is all that two runs of a play may differ in. */
const nameless = (messages: readonly string[], tag: string): readonly string[] =>
  messages.map((message) => message.replaceAll(`[${tag} `, "[ "));

function differences({ client }: User, messages: readonly string[], model: Model): string[] {
  const isExcused = (at: number) =>
    isInterrupted(messages[at], model.messages[at], client.machine.misreported.size > 0);
  const at = [...Array(Math.max(messages.length, model.messages.length)).keys()].find(
    (at) => messages[at] !== model.messages[at] && !isExcused(at),
  );
  return at === undefined ? [] : [`message ${at} is ${messages[at]} and not ${model.messages[at]}`];
}

/** A server's tool may have run when its answer was lost; a joined command's end is not known (PROTOCOL.md section 10). */
function isInterrupted(message = "", undisturbed = "", isMisreported: boolean): boolean {
  const lost =
    '"isError":true,"role":"tool","text":"The connection was lost while this ran; it may have taken effect."';
  if (undisturbed.includes('"toolName":"program-deploy"'))
    return message === undisturbed.replace(/"isError":false,"role":"tool","text":"[^"]*"/, () => lost);
  const joined = "The connection was lost while it ran; it ran to its end, exit code unknown. Output:";
  return isMisreported && message === undisturbed.replace('"text":"exit code: 0', () => `"text":"${joined}`);
}

/** What changes something happened as often as it should; a server's tool, whose answer may be lost, at most so often. */
function deeds({ client: { machine } }: User, model: Model): string[] {
  const isDeed = (deed: string) => !deed.startsWith("read ") && !deed.startsWith("call look");
  const times = (all: readonly string[], deed: string) => all.filter((each) => each === deed).length;
  const named = new Set([...machine.carriedOut, ...model.carriedOut].filter(isDeed));
  return [
    ...[...named].flatMap((deed) => {
      const [done, wanted] = [times(machine.carriedOut, deed), times(model.carriedOut, deed)];
      const isFine = done === wanted || (done < wanted && deed.startsWith("call "));
      return isFine ? [] : [`done ${done} times instead of ${wanted}: ${deed}`];
    }),
    ...[...model.files]
      .filter(([path, text]) => machine.files.get(path) !== text)
      .map(([path]) => `another file: ${path}`),
  ];
}
