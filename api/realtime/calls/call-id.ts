// Ids of realtime calls. An id proves to which account its call belongs, so that a repeated hangup is answered rightly
// although nothing about an ended call is kept.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { deriveKey } from "../../kernel/tokens/derive-key.ts";

const PREFIX = "rtc_";
const RANDOM_BYTES = 12;
const PROOF_BYTES = 16;
const SHAPE = /^rtc_([0-9a-f]{24})([0-9a-f]{32})$/;

export interface CallIds {
  /** A new unique id of a call of this account. */
  mint(userId: string): string;
  /** Whether the id was minted for this account. */
  isOf(id: string, userId: string): boolean;
}

export function createCallIds(signingKey: Uint8Array): CallIds {
  const key = deriveKey(signingKey, "realtime-call");
  const prove = (random: string, userId: string): Buffer =>
    createHmac("sha256", key).update(`${random}:${userId}`).digest().subarray(0, PROOF_BYTES);
  return {
    mint(userId) {
      const random = randomBytes(RANDOM_BYTES).toString("hex");
      return `${PREFIX}${random}${prove(random, userId).toString("hex")}`;
    },
    isOf(id, userId) {
      const [, random, proof] = SHAPE.exec(id) ?? [];
      return random !== undefined && timingSafeEqual(Buffer.from(proof, "hex"), prove(random, userId));
    },
  };
}
