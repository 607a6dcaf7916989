// Routes that give out tokens, and the launch that shares a path with one of them.
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { type ErrorCode, ServiceError } from "../../../shared/errors.ts";
import { HEADER_PLAN_NOTICE } from "../../../shared/wire-names.ts";
import type { Account } from "../../accounts/account.ts";
import type { LaunchTokenCaller, SecretCaller } from "../../accounts/caller.ts";
import { planNotice } from "../../accounts/plans/free-plan.ts";
import { supportedModels } from "../../agents/agent.ts";
import { requireOwnAgent } from "../../agents/agent-access.ts";
import { assertGenerated, requireModel } from "../../agents/models/model-availability.ts";
import { Answer } from "../../kernel/http/answer.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import { normaliseLiveKitUrl } from "../../kernel/livekit/livekit-url.ts";
import type { AvatarSessions } from "../avatar-sessions.ts";
import type { SessionServices } from "../session-services.ts";
import { type LaunchFields, launchFields, readLaunch } from "./launch-fields.ts";

/** A launch may carry a picture as base64. */
const LAUNCH_BODY_LIMIT_BYTES = 20 * 1024 * 1024;
/** What a launch may be refused with, on either path. */
const LAUNCH_ERRORS: readonly ErrorCode[] = [
  "INSUFFICIENT_BALANCE",
  "ACCOUNT_SUSPENDED",
  "CONCURRENCY_LIMIT_REACHED",
  "FORBIDDEN",
  "NOT_FOUND",
  "MODEL_NOT_OFFERED",
  "MODEL_NOT_GENERATED",
  "DOWNLOAD_FAILED",
  "MODEL_SUBJECT_MISMATCH",
  "IMAGE_FACE_UNSUITABLE",
  "CONFLICT",
  "SERVICE_UNAVAILABLE",
  "MODEL_NOT_YET_AVAILABLE",
];

const LAUNCH_BODY_TYPES = ["json", "form", "multipart"] as const;
const SCOPE_LIVEKIT_CLOUD = "livekit-cloud";

const planNoticeSchema = z.string().optional();
const exchangeSchema = z.object({
  status: z.literal("success"),
  status_code: z.literal(200),
  data: z.object({
    token: z.string(),
    transaction_id: z.uuid(),
    expires_at: z.int(),
    plan_notice: planNoticeSchema,
  }),
});
const launchSchema = z.object({
  avatar_session_started: z.literal(true),
  session_id: z.string(),
  model: z.string(),
  mode: z.string(),
  agent_id: z.string().optional(),
  image: z.string().optional(),
  user_id: z.string(),
  status: z.enum(["starting", "live", "ended"]),
  plan_notice: planNoticeSchema,
});

const scopedTokenSchema = z.object({ scoped_token: z.string(), expires_at: z.int(), plan_notice: planNoticeSchema });
const downloadTokenSchema = z.object({
  token: z.string(),
  expires_at: z.int(),
  agent_code: z.string(),
  scope: z.null(),
  plan_notice: planNoticeSchema,
});

export function tokenRoutes(services: SessionServices, avatarSessions: AvatarSessions): Route[] {
  const { database, offeredModels, tokens, livekitGuard } = services;
  const tags = ["Tokens"];

  /** The Free plan's notice in both places where it is due. */
  function withNotice<T extends object>(account: Account, body: (notice: { plan_notice?: string }) => T): Answer<T> {
    const notice = planNotice(account, services.now());
    if (notice === null) return new Answer({ json: body({}) });
    return new Answer({ json: body({ plan_notice: notice }), headers: { [HEADER_PLAN_NOTICE]: notice } });
  }

  async function launch(
    caller: SecretCaller | LaunchTokenCaller,
    fields: LaunchFields,
  ): Promise<Answer<z.input<typeof launchSchema>>> {
    const request = await readLaunch(services, caller, fields);
    const session = await avatarSessions.launch(request);
    return withNotice(caller.account, (notice) => ({
      avatar_session_started: true as const,
      session_id: session.id,
      model: session.model,
      mode: session.mode,
      ...(session.agentCode !== null && { agent_id: session.agentCode }),
      ...(request.imageText !== null && { image: request.imageText }),
      user_id: session.userId,
      status: session.status,
      ...notice,
    }));
  }

  async function exchange(caller: SecretCaller): Promise<Answer<z.input<typeof exchangeSchema>>> {
    const minted = await tokens.runtime.mint({ sub: caller.account.userId, key: caller.secretId });
    const transactionId = randomUUID();
    return withNotice(caller.account, (notice) => ({
      status: "success" as const,
      status_code: 200 as const,
      data: { token: minted.token, transaction_id: transactionId, expires_at: minted.expiresAt, ...notice },
    }));
  }

  return [
    route({
      method: "post",
      path: "/v1/runtime-tokens/request",
      tier: "none",
      auth: "launch",
      summary: "Exchange the secret for a runtime token, or (with mode or livekit_token) start an avatar in a room",
      tags,
      body: launchFields,
      bodyTypes: LAUNCH_BODY_TYPES,
      bodyLimitBytes: LAUNCH_BODY_LIMIT_BYTES,
      response: z.union([exchangeSchema, launchSchema]),
      errors: LAUNCH_ERRORS,
      async handler({ body, caller }) {
        if (body.mode || body.livekit_token) return launch(caller, body);
        if (caller.kind === "secret") return exchange(caller);
        throw new ServiceError("FORBIDDEN", "A minted token can only start its avatar session");
      },
    }),
    route({
      method: "post",
      path: "/launch",
      tier: "none",
      auth: "launch",
      summary: "Start an avatar in a room",
      tags,
      body: launchFields,
      bodyTypes: LAUNCH_BODY_TYPES,
      bodyLimitBytes: LAUNCH_BODY_LIMIT_BYTES,
      response: launchSchema,
      errors: LAUNCH_ERRORS,
      handler: ({ body, caller }) => launch(caller, body),
    }),
    route({
      method: "post",
      path: "/v1/runtime-tokens/mint",
      tier: "none",
      auth: "token-secret",
      summary: "Mint a one-hour token: to start one agent's avatar in one room, or to download its model",
      tags,
      body: z.object({
        agent_code: z.string().max(100),
        scope: z.string().max(40).nullish(),
        room_name: z.string().max(256).nullish(),
        livekit_url: z.string().max(2048).nullish(),
      }),
      response: z.union([scopedTokenSchema, downloadTokenSchema]),
      errors: ["NOT_FOUND"],
      async handler({ body, caller }) {
        const agent = await requireOwnAgent(database, caller.account, body.agent_code);
        const owner = { sub: caller.account.userId, key: caller.secretId, agent: agent.code };
        if (!body.scope) {
          const { token, expiresAt } = await tokens.modelDownload.mint(owner);
          return withNotice(caller.account, (notice) => ({
            ...{ token, expires_at: expiresAt, agent_code: agent.code, scope: null },
            ...notice,
          }));
        }
        if (body.scope !== SCOPE_LIVEKIT_CLOUD) {
          throw new ServiceError("VALIDATION_ERROR", `scope must be ${SCOPE_LIVEKIT_CLOUD} or absent`);
        }
        if (!body.room_name) throw new ServiceError("MISSING_PARAM", "Required parameter missing: room_name");
        if (!body.livekit_url) throw new ServiceError("MISSING_PARAM", "Required parameter missing: livekit_url");
        const lk = normaliseLiveKitUrl(body.livekit_url, livekitGuard);
        const { token, expiresAt } = await tokens.launch.mint({
          ...owner,
          room: body.room_name,
          lk,
          jti: randomUUID(),
        });
        return withNotice(caller.account, (notice) => ({ scoped_token: token, expires_at: expiresAt, ...notice }));
      },
    }),
    route({
      method: "post",
      path: "/v1/embed-tokens/request",
      tier: "address",
      auth: "token-secret",
      summary: "Mint a one-hour token for one visitor of an embed page",
      tags,
      body: z.object({
        agent_id: z.string().max(100),
        fingerprint: z.string().min(1).max(200),
        model: z.string().max(60).nullish(),
      }),
      response: z.object({
        status: z.literal("success"),
        status_code: z.literal(200),
        data: z.object({
          token: z.string(),
          sid: z.string(),
          model: z.string().optional(),
          supported_models: z.array(z.string()),
        }),
      }),
      errors: ["NOT_FOUND", "MODEL_NOT_OFFERED", "MODEL_NOT_GENERATED"],
      async handler({ body, caller }) {
        const agent = await requireOwnAgent(database, caller.account, body.agent_id);
        const supported = supportedModels(agent, offeredModels);
        const model = body.model || null;
        if (model !== null) {
          assertGenerated(agent.code, requireModel(model, offeredModels).family, supported, offeredModels);
        }
        const sid = randomUUID();
        const { token } = await tokens.embed.mint({
          sub: caller.account.userId,
          key: caller.secretId,
          sid,
          agent: agent.code,
          endUserId: body.fingerprint,
          model,
        });
        const data = { token, sid, ...(model !== null && { model }), supported_models: supported };
        return { status: "success" as const, status_code: 200 as const, data };
      },
    }),
  ];
}
