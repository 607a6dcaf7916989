// The page of an agent that the service shows: every visit gets a token of its own.
import type { Client } from "../../../sdk/client/index.ts";
import { resolveModel } from "../../../shared/models.ts";
import type { Credentials } from "../../account/credentials.ts";
import { clientOf } from "../../account/open-client.ts";
import { type PageAnswer, PageError, type PageRequest } from "./page-server.ts";

export interface AgentPage {
  /** Of the agent. */
  name: string;
  costPerMinute: number;
  creditBalance: number;
  answer(request: PageRequest): Promise<PageAnswer | undefined>;
}

/** Of the session's visitor. */
const FINGERPRINT = "avatar-run";

/** Looks the agent up. Throws the client's errors: NotFoundError for a code that the account does not have. */
export async function openAgentPage(code: string, credentials: Credentials, signal: AbortSignal): Promise<AgentPage> {
  const client = clientOf(credentials);
  const [agent, profile, pricing] = await Promise.all([
    client.agents.get(code, { signal }),
    client.accounts.me({ signal }),
    client.pricing.get({ signal }),
  ]);
  const family = resolveModel(agent.model)?.family ?? agent.model;
  const prices = pricing.realtime.hosted.by_model;
  return {
    name: agent.name,
    costPerMinute: (prices[agent.model] ?? prices[family])?.rate ?? 0,
    creditBalance: profile.credit_balance,
    async answer({ method, path }) {
      if (method !== "GET" || path !== "/") return undefined;
      const token = await mint(client, code);
      const location = `${credentials.baseUrl}/embed/${encodeURIComponent(code)}#token=${token}`;
      return { status: 303, headers: { Location: location, "Cache-Control": "no-store" }, body: "" };
    },
  };
}

async function mint(client: Client, code: string): Promise<string> {
  try {
    return (await client.embedTokens.create({ agent_id: code, fingerprint: FINGERPRINT })).token;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "The service refused the session.";
    throw new PageError(503, "SERVICE_UNAVAILABLE", reason, { cause });
  }
}
