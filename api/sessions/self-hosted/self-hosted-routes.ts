// The routes of self-hosted runtimes. Those that they share with our workers are in `runtime/runtime-routes.ts`.
import { z } from "zod";
import { type ErrorCode, ServiceError } from "../../../shared/errors.ts";
import type { EndReason, HeartbeatReport } from "../../../shared/runtime-api.ts";
import type { LaunchScope, LaunchTokenCaller, RuntimeCaller } from "../../accounts/caller.ts";
import { planNoticeSchema, withPlanNotice } from "../../accounts/plans/plan-notice.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import type { RuntimeClaims } from "../../kernel/tokens/tokens.ts";
import { assertModelInScope } from "../launch/launch-fields.ts";
import type { SessionServices } from "../session-services.ts";
import { findTokenExchange } from "../tokens/token-exchange-store.ts";
import type { SelfHostedSessions } from "./self-hosted-sessions.ts";

/** An error stops a runtime, as the contract says. It lets a runtime stop on 402 and 403 alone, so every other end is
 *  RUNTIME_SUSPENDED. */
const STOP_ERRORS: Partial<Record<EndReason, ErrorCode>> = {
  balance_exhausted: "INSUFFICIENT_BALANCE",
  duration_limit: "SESSION_DURATION_LIMIT",
};

export function selfHostedRoutes(services: SessionServices, selfHosted: SelfHostedSessions): Route[] {
  const { database, policies } = services;
  const tags = ["Runtime"];

  return [
    route({
      method: "post",
      path: "/v1/runtime/sessions",
      operation: "runtimeSessions.begin",
      tier: "none",
      auth: "runtime",
      summary: "Begin a self-hosted session",
      tags,
      body: z.object({
        agent_code: z.string().max(100).nullish(),
        model: z.string().max(60).nullish().meta({ description: "Default: the model of a launch without one" }),
        has_image: z.boolean().nullish().meta({
          description: "Whether the face is an image of the caller. Default: false",
        }),
        host: z.string().max(200).default(""),
        install_id: z.string().max(200).nullish(),
      }),
      response: z.object({
        session_id: z.string(),
        model: z.string().meta({ description: "The model that the session is billed for" }),
        beat_interval_s: z.int(),
        grace_s: z.int(),
        plan_notice: planNoticeSchema,
      }),
      errors: [
        "INSUFFICIENT_BALANCE",
        "ACCOUNT_SUSPENDED",
        "SERVICE_UNAVAILABLE",
        "RUNTIME_SUSPENDED",
        "FORBIDDEN",
        "NOT_FOUND",
        "MODEL_NOT_GENERATED",
        "MODEL_NOT_OFFERED",
        "MODEL_NOT_YET_AVAILABLE",
      ],
      internal: true,
      async handler({ body, caller }) {
        const { account, secretId, launch, transactionId: id } = caller;
        if (launch !== null) await assertInScope(services, { account, ...launch }, body);
        const exchange = id === null ? null : await findTokenExchange(database, { id, userId: account.userId });
        const session = await selfHosted.begin({
          account,
          secretId,
          agentCode: body.agent_code || exchange?.agentCode || null,
          model: body.model || (launch?.model ?? null),
          hasImage: body.has_image ?? false,
          launchTokenId: launch?.tokenId ?? null,
          host: body.host,
          roomName: exchange?.roomName ?? "",
          transactionId: exchange?.id ?? null,
        });
        return withPlanNotice(account, services.now(), {
          session_id: session.id,
          model: session.model,
          beat_interval_s: policies.selfHosted.heartbeatIntervalS,
          grace_s: policies.selfHosted.graceS,
        });
      },
    }),
  ];
}

/** Takes a runtime's heartbeat. Throws the error that stops it. */
export async function answerHeartbeat(
  { tokens, links, now }: SessionServices,
  selfHosted: SelfHostedSessions,
  { caller, id, heartbeat }: { caller: RuntimeCaller; id: string; heartbeat: HeartbeatReport },
) {
  const { stop, balance, account } = await selfHosted.reportHeartbeat(id, heartbeat);
  if (stop !== null) throw stopError(stop, links.topupUrl);
  const { token } = await tokens.runtime.mint({
    sub: account.userId,
    key: caller.secretId,
    ...(caller.transactionId !== null && { tx: caller.transactionId }),
    ...(caller.launch !== null && { launch: claimsOf(caller.launch) }),
  });
  return withPlanNotice(account, now(), { ok: true, balance, token });
}

/** Throws FORBIDDEN for a session that is not the one of a launch token. */
async function assertInScope(
  services: SessionServices,
  token: Pick<LaunchTokenCaller, "account" | "agentCode" | "model">,
  body: { agent_code?: string | null; model?: string | null; has_image?: boolean | null },
): Promise<void> {
  if (body.agent_code && body.agent_code !== token.agentCode) {
    throw new ServiceError("FORBIDDEN", "This token was minted for another agent");
  }
  if (body.has_image) throw new ServiceError("FORBIDDEN", "A launch token cannot be combined with an image");
  await assertModelInScope(services, token, body.model || null);
}

function claimsOf({ agentCode, roomName, livekitUrl, model, tokenId }: LaunchScope): RuntimeClaims["launch"] {
  return { agent: agentCode, room: roomName, lk: livekitUrl, jti: tokenId, model };
}

function stopError(reason: EndReason, topupUrl: string): ServiceError {
  const code = STOP_ERRORS[reason] ?? "RUNTIME_SUSPENDED";
  const details = code === "INSUFFICIENT_BALANCE" ? { topup_url: topupUrl } : {};
  return new ServiceError(code, `The avatar session must end: ${reason.replaceAll("_", " ")}`, { details });
}
