// Links to the page where a person places an agent's face marks. A link grants only that, and only for one revision of
// the agent.
import { createLinkSigner } from "../../kernel/tokens/link-signer.ts";
import type { Agent } from "../record/agent.ts";

/** As long as an agent waits for marks. */
const LINK_SECONDS = 7 * 24 * 3600;

export interface MarkingLinkOptions {
  /** Base of the links, without a trailing slash. */
  publicUrl: string;
  /** The signing key of the installation. */
  signingKey: Uint8Array;
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface MarkingLinks {
  /** The URL of an agent's page. The token is in the fragment, which browsers do not send, so it reaches no server log.
   *  */
  linkTo(agent: Pick<Agent, "id" | "code" | "revision">): string;
  /** True for a token that was made for this agent at this revision and has not expired. */
  verify(agent: Pick<Agent, "id" | "revision">, token: string): boolean;
}

/** Links of the form `/mark/<code>#<expiry>.<signature>`. */
export function createMarkingLinks({ publicUrl, signingKey, now }: MarkingLinkOptions): MarkingLinks {
  const signer = createLinkSigner(signingKey, "marking-links");
  return {
    linkTo({ id, code, revision }) {
      const expires = String(Math.floor(now() / 1000) + LINK_SECONDS);
      return `${publicUrl}/mark/${code}#${expires}.${signer.sign("mark", id, revision, expires)}`;
    },
    verify({ id, revision }, token) {
      const [expires, signature = ""] = token.split(".", 2);
      return signer.isSigned(signature, "mark", id, revision, expires) && Number(expires) * 1000 > now();
    },
  };
}
