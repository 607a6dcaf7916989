// Links to the page where a person places an agent's face marks. A holder may do that for this revision of the agent, and nothing else.
import { createLinkSigner } from "../../kernel/tokens/link-signer.ts";
import type { Agent } from "../agent.ts";

/** As long as an agent waits. */
const LINK_SECONDS = 7 * 24 * 3600;

export interface MarkingLinkOptions {
  /** Base of the links, without a trailing slash. */
  publicUrl: string;
  /** Of the installation. */
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
