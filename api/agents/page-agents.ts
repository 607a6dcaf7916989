// Agents that the start page makes on the machine of the service, without an API secret. They belong to the operator's
// account like any other; their signed codes tell them apart, so that the page's token opens no other agent.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { ServiceError } from "../../shared/errors.ts";
import type { Account } from "../accounts/account.ts";
import type { PageCaller, SecretCaller } from "../accounts/caller.ts";
import type { Queryable } from "../kernel/database/database.ts";
import { createLinkSigner } from "../kernel/tokens/link-signer.ts";
import { agentNotFound, requireOwnAgent } from "./agent-access.ts";
import type { Agent } from "./record/agent.ts";
import { type AgentPage, listAgents } from "./record/agent-store.ts";

const CODE_PREFIX = "page-";
const CODE = /^page-([0-9a-f]{8})-([0-9a-f]{12})$/;
const RANDOM_BYTES = 4;
/** Enough, since codes cannot be tried against anything but the page's own rate limit. */
const SIGNATURE_CHARACTERS = 12;

/** A caller of a route that the start page may use. */
export type AgentCaller = SecretCaller | PageCaller;

export interface PageAgents {
  /** A new code, for an agent that the page makes. */
  newCode(operator: Account): string;
  /** The account that pays for the caller's request. */
  accountOf(caller: AgentCaller): Account;
  /** As `requireOwnAgent`; the start page gets only agents that were made there. */
  require(caller: AgentCaller, code: string): Promise<Agent>;
  /** As `listAgents`; the start page gets only agents that were made there. */
  list(caller: AgentCaller, page: AgentPage): Promise<{ agents: Agent[]; total: number }>;
}

export interface PageAgentsOptions {
  database: Queryable;
  /** The signing key of the installation. */
  signingKey: Uint8Array;
}

export function createPageAgents({ database, signingKey }: PageAgentsOptions): PageAgents {
  const signer = createLinkSigner(signingKey, "page-agents");

  function sign({ userId }: Account, name: string): string {
    const signature = Buffer.from(signer.sign("agent", userId, name), "base64url");
    return signature.toString("hex").slice(0, SIGNATURE_CHARACTERS);
  }

  function accountOf(caller: AgentCaller): Account {
    return caller.kind === "page" ? caller.operator : caller.account;
  }

  function isMadeHere(operator: Account, code: string): boolean {
    const [, name = "", signature = ""] = CODE.exec(code) ?? [];
    return name !== "" && isSame(sign(operator, name), signature);
  }

  return {
    accountOf,
    newCode(operator) {
      const name = randomBytes(RANDOM_BYTES).toString("hex");
      return `${CODE_PREFIX}${name}-${sign(operator, name)}`;
    },
    async require(caller, code) {
      if (caller.kind === "page" && !isMadeHere(caller.operator, code)) throw agentNotFound(code);
      return requireOwnAgent(database, accountOf(caller), code);
    },
    async list(caller, page) {
      if (caller.kind === "secret") return listAgents(database, caller.account.userId, page);
      const { agents, total } = await listAgents(database, caller.operator.userId, {
        ...page,
        codePrefix: CODE_PREFIX,
      });
      // Anyone with a secret may choose a code with this prefix.
      return { agents: agents.filter(({ code }) => isMadeHere(caller.operator, code)), total };
    },
  };
}

function isSame(expected: string, given: string): boolean {
  return timingSafeEqual(Buffer.from(expected), Buffer.from(given));
}

/** What the start page may send with an image. */
export interface PageOrder {
  image?: string | null;
  [field: string]: unknown;
}

/** Fields of a creation request that the page's token may use. */
const PAGE_FIELDS: ReadonlySet<string> = new Set(["image", "prompt", "name", "voice", "model", "aspect_ratio"]);

/** Throws FORBIDDEN for a creation that the page's token is not good for: without an image, with one from a URL, with
 *  a code, or with other files. */
export function assertPageOrder(order: PageOrder): void {
  const others = Object.keys(order).filter((field) => !PAGE_FIELDS.has(field) && order[field] != null);
  if (others.length === 0 && order.image?.startsWith("data:")) return;
  throw new ServiceError(
    "FORBIDDEN",
    "The start page makes agents from an image alone. Use an API secret for any other request.",
  );
}

/** Throws FORBIDDEN for a change that the page's token is not good for: knowledge bases and providers are the
 *  account's, and so is the decision whether the agent's file leaves the service. */
export function assertPageChange(change: { kb_ids?: unknown; providers?: unknown; local_rendering?: unknown }): void {
  if (change.kb_ids == null && change.providers == null && change.local_rendering == null) return;
  throw new ServiceError(
    "FORBIDDEN",
    "The start page changes name, character and voice. Use an API secret for the rest.",
  );
}
