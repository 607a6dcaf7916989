// Short links to embed pages: made, listed, withdrawn, and followed. A link mints a token for each visit, so it lasts
// longer than a token and can be withdrawn.
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import { findAccount } from "../accounts/account-store.ts";
import { assertGenerated, requireModel } from "../agents/models/model-availability.ts";
import type { PageAgents } from "../agents/page-agents.ts";
import { supportedModels } from "../agents/record/agent.ts";
import { findAgentByCode } from "../agents/record/agent-store.ts";
import { redirectTo } from "../kernel/http/answer.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { deletedSchema, paginationOf, paginationSchema } from "../kernel/http/shared-schemas.ts";
import type { SessionServices } from "../sessions/session-services.ts";
import {
  countLinks,
  deleteLink,
  type EmbedLink,
  findLink,
  insertLink,
  listLinks,
  newLinkCode,
} from "./embed-link-store.ts";

const DAY_S = 86_400;
const DEFAULT_LIFETIME_S = 7 * DAY_S;
const MAX_LIFETIME_S = 90 * DAY_S;
/** Of one account, at a time. */
const MAX_LINKS = 1_000;
const TAGS = ["Embed"];

/** A link that can be sent to anyone. */
const linkSchema = z
  .object({
    code: z.string().meta({ description: "Withdraws the link" }),
    url: z.string().meta({ description: "Leads to the agent's embed page, with a fresh token for each visitor" }),
    agent_code: z.string(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: "EmbedLink" });

export function embedLinkRoutes(services: SessionServices & { pageAgents: PageAgents }): Route[] {
  const { database, tokens, config, offeredModels, pageAgents, now } = services;
  const view = ({ code, agentCode, createdAt, expiresAt }: Omit<EmbedLink, "userId" | "secretId" | "model">) => ({
    code,
    url: `${config.http.publicUrl}/a/${code}`,
    agent_code: agentCode,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  });

  return [
    route({
      method: "post",
      path: "/v1/embed-links",
      operation: "embedLinks.create",
      tier: "address",
      auth: "token-secret-or-page",
      summary: "Make a short link to an agent's embed page",
      description:
        "Each visit gets a shared embed token of its own: it names no visitor, and each browser tab has its own conversation. The link ends when it expires or is deleted, and with its API secret and its agent.",
      tags: TAGS,
      example: { body: { agent_id: "AGENT_CODE" } },
      body: z.object({
        agent_id: z.string().max(100),
        model: z.string().max(60).nullish(),
        expires_in: z
          .int()
          .min(60)
          .max(MAX_LIFETIME_S)
          .nullish()
          .meta({ description: "Seconds until the link expires, at most 90 days. Default: 7 days" }),
      }),
      response: z.object({ success: z.literal(true), data: linkSchema }),
      errors: ["NOT_FOUND", "MODEL_NOT_OFFERED", "MODEL_NOT_GENERATED", "CONFLICT"],
      async handler({ body, caller }) {
        const agent = await pageAgents.require(caller, body.agent_id);
        const model = body.model || null;
        if (model !== null) {
          const { family } = requireModel(model, offeredModels);
          assertGenerated(agent.code, family, supportedModels(agent, offeredModels), offeredModels);
        }
        const createdAt = new Date(now());
        const expiresAt = new Date(createdAt.getTime() + (body.expires_in ?? DEFAULT_LIFETIME_S) * 1000);
        const { userId } = agent;
        const code = newLinkCode();
        await database.transaction().execute(async (transaction) => {
          // Locked, so that requests at once cannot all be the last.
          await findAccount(transaction, userId, { lock: true });
          if ((await countLinks(transaction, userId, createdAt)) >= MAX_LINKS) {
            throw new ServiceError("CONFLICT", `An account has at most ${MAX_LINKS} short links. Delete one first.`);
          }
          const { secretId } = caller;
          await insertLink(transaction, { code, userId, secretId, agentCode: agent.code, model, createdAt, expiresAt });
        });
        return { success: true as const, data: view({ code, agentCode: agent.code, createdAt, expiresAt }) };
      },
    }),
    route({
      method: "get",
      path: "/v1/embed-links",
      operation: "embedLinks.list",
      tier: "address",
      auth: "secret",
      summary: "List the account's short links that work, newest first",
      tags: TAGS,
      query: z.object({
        agent_id: z.string().min(1).max(100).optional().meta({ description: "Only links to this agent" }),
        limit: z.coerce.number().int().min(1).max(100).default(50),
        offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
      }),
      response: z.object({ success: z.literal(true), data: z.array(linkSchema), pagination: paginationSchema }),
      errors: ["VALIDATION_ERROR"],
      async handler({ query: { agent_id: agentCode, limit, offset }, caller }) {
        const filter = { agentCode, limit, offset, at: new Date(now()) };
        const { links, total } = await listLinks(database, caller.account.userId, filter);
        const pagination = paginationOf({ limit, offset, total }, links);
        return { success: true as const, data: links.map(view), pagination };
      },
    }),
    route({
      method: "delete",
      path: "/v1/embed-links/:code",
      operation: "embedLinks.delete",
      tier: "address",
      auth: "token-secret-or-page",
      summary: "Withdraw a short link; visitors who are there stay until their token expires",
      tags: TAGS,
      params: z.object({ code: z.string().max(40) }),
      response: deletedSchema,
      errors: ["NOT_FOUND"],
      async handler({ params, caller }) {
        const link = await findLink(database, params.code);
        const isOwn = link?.userId === pageAgents.accountOf(caller).userId;
        if (!link || !isOwn) throw linkNotFound();
        if (caller.kind === "page") await pageAgents.require(caller, link.agentCode);
        await deleteLink(database, link.code);
        return { success: true as const, deleted: true as const };
      },
    }),
    route({
      method: "get",
      path: "/a/:code",
      operation: "embed.follow",
      tier: "address",
      auth: "none",
      summary: "Embed page of a short link, with a fresh token",
      tags: TAGS,
      internal: true,
      params: z.object({ code: z.string().max(40) }),
      errors: ["NOT_FOUND"],
      async handler({ params }) {
        const link = await findLink(database, params.code);
        if (!link || link.expiresAt.getTime() <= now()) throw linkNotFound();
        const agent = await findAgentByCode(database, link.agentCode);
        if (agent?.userId !== link.userId || agent.deletedAt) throw linkNotFound();
        const { userId: sub, secretId: key, model } = link;
        // All visits share the limits of one token. A revoked secret is noticed by the page's own requests.
        const claims = { sub, key, sid: `link ${link.code}`, agent: agent.code, endUserId: null, model };
        const { token } = await tokens.embed.mint(claims);
        // In the fragment a token reaches no server and no log.
        return redirectTo(`/embed/${agent.code}#token=${token}`);
      },
    }),
  ];
}

function linkNotFound(): ServiceError {
  return new ServiceError("NOT_FOUND", "This link has expired or was withdrawn");
}
