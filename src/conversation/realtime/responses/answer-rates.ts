// How many answers a caller may make the language model write. A long request counts as several.
import type { BucketRate } from "../../../../program/token-bucket.ts";

/** Characters of a request that count as one answer: five thousand tokens. */
const CHARACTERS_PER_ANSWER = 20_000;

/** Of one call. A person who talks gets an answer every few seconds, and each pause may begin another in advance. */
export const CALL_RATE: BucketRate = Object.freeze({ perSecond: 1, burst: 5 });
/** Of all calls of an account on one worker. */
export const ACCOUNT_RATE: BucketRate = Object.freeze({ perSecond: 5, burst: 20 });

/** How many answers a request counts as. `characters`: of all that the model reads. */
export function costOf(characters: number): number {
  return Math.max(1, characters / CHARACTERS_PER_ANSWER);
}
