/** Ids of the protocol, each derived from ours in one place. */

/** What the client remembers results by: the same step asked again is recognised (PROTOCOL.md section 10). */
export const execIdOf = (operationId: string, step: number): string => `${operationId}/${step}`;

/** The card of the n-th tool call of an answer: the id of the operation it becomes. */
export const cardIdOf = (callId: string, index: number): string => `${callId}/${index}`;

/** The model call that a card belongs to. */
export const callIdOfCard = (cardId: string): string => cardId.slice(0, cardId.lastIndexOf("/"));
