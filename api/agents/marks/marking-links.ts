// Links to the page where a person places an agent's face marks. Whoever holds one may do that, for this agent as it is now, and nothing else.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Agent } from "../agent.ts";

/** As long as an agent waits. */
const LINK_SECONDS = 7 * 24 * 3600;

export interface MarkingLinkOptions {
  /** Base of the links, without a trailing slash. */
  publicUrl: string;
  /** At least 32 bytes. */
  signingKey: Uint8Array;
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface MarkingLinks {
  /** The page of an agent. Its token is in the fragment, which reaches no server and no log. */
  linkTo(agent: Pick<Agent, "id" | "code" | "revision">): string;
  /** True for a token that was made for this agent at this revision and has not expired. */
  verify(agent: Pick<Agent, "id" | "revision">, token: string): boolean;
}

/** Links of the form `/mark/<code>#<expiry>.<signature>`. */
export function createMarkingLinks({ publicUrl, signingKey, now }: MarkingLinkOptions): MarkingLinks {
  const sign = (id: string, revision: number, expires: string) =>
    createHmac("sha256", signingKey).update(`mark\n${id}\n${revision}\n${expires}`).digest("base64url");
  return {
    linkTo({ id, code, revision }) {
      const expires = String(Math.floor(now() / 1000) + LINK_SECONDS);
      return `${publicUrl}/mark/${code}#${expires}.${sign(id, revision, expires)}`;
    },
    verify({ id, revision }, token) {
      const [expires, signature = ""] = token.split(".", 2);
      const expected = Buffer.from(sign(id, revision, expires));
      const given = Buffer.from(signature);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
      return Number(expires) * 1000 > now();
    },
  };
}
