// The search that a conversation uses: an avatar worker asks for its own session, and finds what its agent may know.
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import { knowledgeAnswerSchema, knowledgeQuestionSchema } from "../../shared/runtime-api.ts";
import { findAgentByCode } from "../agents/agent-store.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { findAvatarSession } from "../sessions/avatar-session-store.ts";
import { viewPassage } from "./knowledge-routes.ts";
import type { KnowledgeServices } from "./knowledge-services.ts";
import { listAgentKnowledge } from "./knowledge-store.ts";
import { searchKnowledge } from "./search-knowledge.ts";

const DEFAULT_LIMIT = 4;

/** The route. */
export function conversationKnowledgeRoutes(services: KnowledgeServices): Route[] {
  const { database } = services;
  return [
    route({
      method: "post",
      path: "/v1/runtime/sessions/:id/knowledge",
      tier: "none",
      auth: "runtime-session",
      summary: "What the knowledge bases of a session's agent say about a question",
      tags: ["Runtime"],
      internal: true,
      params: z.object({ id: z.string() }),
      body: knowledgeQuestionSchema,
      response: knowledgeAnswerSchema,
      errors: ["NOT_FOUND"],
      async handler({ params, body, caller }) {
        const session = await findAvatarSession(database, params.id);
        const isTheirs =
          caller.kind === "runtime-session"
            ? caller.avatarSessionId === params.id
            : session?.isSelfHosted === true && session.userId === caller.account.userId;
        if (!session || !isTheirs) throw new ServiceError("NOT_FOUND", `No avatar session ${params.id.slice(0, 100)}`);
        const agent = session.agentCode === null ? null : await findAgentByCode(database, session.agentCode);
        if (!agent) return { results: [] };
        const found = await searchKnowledge(services, {
          knowledgeBaseIds: await listAgentKnowledge(database, agent.id),
          question: body.query,
          limit: body.limit ?? DEFAULT_LIMIT,
        });
        return { results: found.map(viewPassage) };
      },
    }),
  ];
}
