// Codes of agents: chosen by callers or generated.
import { createHash, randomInt } from "node:crypto";

const CHOSEN_PATTERN = /^[A-Za-z0-9_-]{3,64}$/;
/** Words that are segments of our own paths under `/v1/agent/` and `/embed/`. */
const RESERVED = new Set(["generate", "status", "agent"]);
/** Codes of the sample avatars begin with this. */
export const SAMPLE_PREFIX = "sample-";
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** True for a code that a caller may choose: 3 to 64 letters, digits, `-` or `_`, not a reserved word, and without the
 *  prefix of the samples. */
export function isChosenCode(code: string): boolean {
  const lower = code.toLowerCase();
  return CHOSEN_PATTERN.test(code) && !RESERVED.has(lower) && !lower.startsWith(SAMPLE_PREFIX);
}

/** A fresh code of the contract's form: letter, two digits, three letters, four digits. */
export function randomAgentCode(): string {
  return format(() => randomInt(2 ** 32));
}

/** A code derived from an idempotency key, in the same form. Two processes that see the same key make the same agent.
 *  `attempt` gives another code if an earlier one is taken. */
export function agentCodeFromKey(userId: string, key: string, attempt: number): string {
  const digest = createHash("sha256").update(`${userId}\n${attempt}\n${key}`).digest();
  let position = 0;
  return format(() => digest.readUInt16BE(2 * position++));
}

function format(next: () => number): string {
  const letter = () => LETTERS[next() % LETTERS.length];
  const digits = (count: number) => String(next() % 10 ** count).padStart(count, "0");
  return `${letter()}${digits(2)}${letter()}${letter()}${letter()}${digits(4)}`;
}
