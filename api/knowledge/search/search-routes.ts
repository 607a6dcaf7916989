// The search that a conversation uses: an avatar worker searches the knowledge bases of its own session's agent.
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import { knowledgeAnswerSchema, knowledgeQuestionSchema } from "../../../shared/runtime-api.ts";
import { findAccount } from "../../accounts/account-store.ts";
import { PLAN_LIMITS } from "../../accounts/plans/plans.ts";
import { findAgentByCode } from "../../agents/record/agent-store.ts";
import { rateRefusal } from "../../kernel/http/rate-headers.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import type { AvatarSession } from "../../sessions/record/avatar-session.ts";
import { findAvatarSession } from "../../sessions/record/avatar-session-store.ts";
import { viewPassage } from "../knowledge-routes.ts";
import type { KnowledgeServices } from "../knowledge-services.ts";
import { listAgentKnowledge } from "../knowledge-store.ts";
import { searchKnowledge } from "./search-knowledge.ts";

const DEFAULT_LIMIT = 4;
/** Searches of one avatar session per minute: one for each turn of a quick conversation. */
const SESSION_PER_MINUTE = 30;

/** The route. */
export function conversationKnowledgeRoutes(services: KnowledgeServices): Route[] {
  const { database, limiter } = services;

  /** Throws RATE_LIMITED. An account's searches of all its sessions count together, at the rate of its plan's
   *  writes. */
  async function takeRate(session: AvatarSession): Promise<void> {
    const account = await findAccount(database, session.userId);
    const perMinute = PLAN_LIMITS[account?.plan ?? "free"].writePerMinute;
    for (const [key, rate] of [
      [`knowledge-session:${session.id}`, SESSION_PER_MINUTE],
      [`knowledge:${session.userId}`, perMinute],
    ] as const) {
      const state = await limiter.take(key, rate);
      if (!state.isAllowed) throw rateRefusal("write", state);
    }
  }

  return [
    route({
      method: "post",
      path: "/v1/runtime/sessions/:id/knowledge",
      operation: "workers.searchKnowledge",
      tier: "none",
      auth: "runtime-session",
      summary: "Search the knowledge bases of a session's agent",
      tags: ["Runtime"],
      internal: true,
      params: z.object({ id: z.string() }),
      body: knowledgeQuestionSchema,
      response: knowledgeAnswerSchema,
      errors: ["NOT_FOUND", "CONFLICT", "RATE_LIMITED"],
      async handler({ params, body, caller }) {
        const session = await findAvatarSession(database, params.id);
        const isTheirs =
          caller.kind === "runtime-session"
            ? caller.avatarSessionId === params.id
            : session?.isSelfHosted === true && session.userId === caller.account.userId;
        if (!session || !isTheirs) throw new ServiceError("NOT_FOUND", `No avatar session ${params.id.slice(0, 100)}`);
        const isSuperseded = caller.kind === "runtime-session" && caller.dispatchNumber !== session.dispatchNumber;
        if (session.status === "ended" || isSuperseded) {
          throw new ServiceError("CONFLICT", "The avatar session has ended, or another worker runs it");
        }
        await takeRate(session);
        const agent = session.agentCode === null ? null : await findAgentByCode(database, session.agentCode);
        if (!agent || agent.deletedAt !== null) return { results: [] };
        const found = await searchKnowledge(services, {
          knowledgeBaseIds: await listAgentKnowledge(database, agent),
          question: body.query,
          limit: body.limit ?? DEFAULT_LIMIT,
        });
        return { results: found.map(viewPassage) };
      },
    }),
  ];
}
