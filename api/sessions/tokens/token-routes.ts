// Routes that mint tokens: for one launch, one download, or one visitor of an embed page. The exchange is in
// `launch-routes.ts`: it shares its path with the launch.
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { normaliseLiveKitUrl } from "../../../program/outgoing/livekit-url.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { planNoticeSchema, withPlanNotice } from "../../accounts/plans/plan-notice.ts";
import { requireOwnAgent } from "../../agents/agent-access.ts";
import { assertGenerated, requireModel } from "../../agents/models/model-availability.ts";
import { createPageAgents } from "../../agents/page-agents.ts";
import { supportedModels } from "../../agents/record/agent.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import type { SessionServices } from "../session-services.ts";

const SCOPE_LIVEKIT_CLOUD = "livekit-cloud";

const scopedTokenSchema = z
  .object({ scoped_token: z.string(), expires_at: z.int(), plan_notice: planNoticeSchema })
  .meta({ id: "LaunchToken" });
const downloadTokenSchema = z
  .object({
    token: z.string(),
    expires_at: z.int(),
    agent_code: z.string(),
    scope: z.null(),
    plan_notice: planNoticeSchema,
  })
  .meta({ id: "DownloadToken" });

/** A token for one visitor of the embed page, or for all of them. */
const embedTokenSchema = z
  .object({
    token: z.string(),
    sid: z.string(),
    model: z.string().optional(),
    supported_models: z.array(z.string()),
  })
  .meta({ id: "EmbedToken" });

export function tokenRoutes(services: SessionServices): Route[] {
  const { database, offeredModels, tokens, livekitGuard } = services;
  const pageAgents = createPageAgents(services);
  const tags = ["Tokens"];

  return [
    route({
      method: "post",
      path: "/v1/runtime-tokens/mint",
      operation: "runtimeTokens.mint",
      tier: "none",
      auth: "token-secret",
      summary: "Mint a one-hour token: to start one agent's avatar in one room, or to download its model",
      tags,
      body: z.object({
        agent_code: z.string().max(100),
        scope: z.string().max(40).nullish(),
        room_name: z.string().max(256).nullish(),
        livekit_url: z.string().max(2048).nullish(),
        model: z.string().max(60).nullish().meta({
          description:
            "With scope: the only model that the token may start. Default: any that costs no more than the agent's own",
        }),
      }),
      example: {
        body: {
          agent_code: "AGENT_CODE",
          scope: SCOPE_LIVEKIT_CLOUD,
          room_name: "lobby",
          livekit_url: "LIVEKIT_URL",
        },
      },
      response: z.union([scopedTokenSchema, downloadTokenSchema]),
      errors: ["NOT_FOUND", "MODEL_NOT_OFFERED", "MODEL_NOT_GENERATED"],
      async handler({ body, caller }) {
        const agent = await requireOwnAgent(database, caller.account, body.agent_code);
        const owner = { sub: caller.account.userId, key: caller.secretId, agent: agent.code };
        if (!body.scope) {
          const { token, expiresAt } = await tokens.modelDownload.mint(owner);
          const body = { token, expires_at: expiresAt, agent_code: agent.code, scope: null };
          return withPlanNotice(caller.account, services.now(), body);
        }
        if (body.scope !== SCOPE_LIVEKIT_CLOUD) {
          throw new ServiceError("VALIDATION_ERROR", `scope must be ${SCOPE_LIVEKIT_CLOUD} or be omitted`);
        }
        if (!body.room_name) throw new ServiceError("MISSING_PARAM", "Required parameter missing: room_name");
        if (!body.livekit_url) throw new ServiceError("MISSING_PARAM", "Required parameter missing: livekit_url");
        const lk = normaliseLiveKitUrl(body.livekit_url, livekitGuard);
        const model = body.model ? requireModel(body.model, offeredModels) : null;
        if (model) {
          assertGenerated(agent.code, model.family, supportedModels(agent, offeredModels), offeredModels);
        }
        const { token, expiresAt } = await tokens.launch.mint({
          ...owner,
          model: model?.name ?? null,
          room: body.room_name,
          lk,
          jti: randomUUID(),
        });
        return withPlanNotice(caller.account, services.now(), { scoped_token: token, expires_at: expiresAt });
      },
    }),
    route({
      method: "post",
      path: "/v1/embed-tokens/request",
      operation: "embedTokens.create",
      tier: "address",
      auth: "token-secret-or-page",
      summary: "Mint a one-hour token for one visitor of an embed page, or one that its visitors share",
      description:
        "The page's address may name another model (?model=), unless the token names one. A model that the agent lacks is refused with 409 MODEL_NOT_GENERATED before there is a room, one that costs more than the agent's own with 403 FORBIDDEN, and the page says so; an unknown name is ignored. avatar_error is set only by an avatar that leaves a live room.",
      tags,
      body: z.object({
        agent_id: z.string().max(100),
        fingerprint: z.string().min(1).max(200).nullish(),
        shared: z.boolean().nullish(),
        model: z.string().max(60).nullish(),
      }),
      example: { body: { agent_id: "AGENT_CODE", fingerprint: "visitor-1" } },
      response: z.object({
        status: z.literal("success"),
        status_code: z.literal(200),
        data: embedTokenSchema,
      }),
      errors: ["NOT_FOUND", "MODEL_NOT_OFFERED", "MODEL_NOT_GENERATED"],
      async handler({ body, caller }) {
        const agent = await pageAgents.require(caller, body.agent_id);
        const supported = supportedModels(agent, offeredModels);
        const model = body.model || null;
        if (model !== null) {
          assertGenerated(agent.code, requireModel(model, offeredModels).family, supported, offeredModels);
        }
        const sid = randomUUID();
        const { token } = await tokens.embed.mint({
          sub: agent.userId,
          key: caller.secretId,
          sid,
          agent: agent.code,
          endUserId: visitorOf(body),
          model,
          ...(caller.kind === "secret" && caller.isConsole && { console: true }),
        });
        const data = { token, sid, ...(model !== null && { model }), supported_models: supported };
        return { status: "success" as const, status_code: 200 as const, data };
      },
    }),
  ];
}

/** The visitor whom a new embed token names, or null if visitors share it. Throws for neither and for both. */
function visitorOf({ fingerprint, shared }: { fingerprint?: string | null; shared?: boolean | null }): string | null {
  if (shared && fingerprint) {
    throw new ServiceError("VALIDATION_ERROR", "A shared token names no visitor. Omit fingerprint, or omit shared.");
  }
  if (shared) return null;
  if (!fingerprint) {
    throw new ServiceError("MISSING_PARAM", "Required parameter missing: fingerprint (or shared: true)");
  }
  return fingerprint;
}
