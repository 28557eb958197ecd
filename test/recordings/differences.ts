/**
 * Recordings that give something else than their manifest says, on purpose: each with its reason.
 *
 * A difference that is named here and does not show is a failure, too.
 */
export const differences: Readonly<
  Record<string, { readonly what: readonly string[]; readonly why: string }>
> = {
  "chat-groq-think-tags": {
    what: ["text", "thinking"],
    why: "the manifest leaves the tags in the text; here what stands between them is thinking",
  },
  "anth-spliced-message-start": {
    what: ["thinking", "stop reason"],
    why: "a second message begins inside the first; what was shown cannot be taken back, so the call is asked again",
  },
  "gem-error-midstream": {
    what: ["stop reason"],
    why: "the manifest's own note: an adapter that can read the bare JSON error shall report it",
  },
  "gem-server-mcp": {
    what: ["stop reason", "calls"],
    why: "a server of Gemini's own answers this call later in the stream; Ownkey never sets one up, so a call is a call",
  },
};
