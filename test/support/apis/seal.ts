/** What only this server can have made of a text, and recognises when it comes back. */
import { createHash } from "node:crypto";

export const seal = (text: string): string => createHash("sha256").update(`sealed ${text}`).digest("base64");

/** Whether a text came back with another seal than its own. */
export const sealProblem = (text: string, given: unknown): boolean => given !== seal(text);
