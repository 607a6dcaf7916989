// The runtime API: what avatar workers and self-hosted runtimes fetch and report. Never rate limited.
import type { Readable } from "node:stream";
import { z } from "zod";
import { type ErrorCode, ServiceError } from "../../../shared/errors.ts";
import {
  type EndReason,
  heartbeatAnswerSchema,
  heartbeatSchema,
  jobDescriptionSchema,
  sessionEventSchema,
} from "../../../shared/runtime-api.ts";
import type { LaunchScope, LaunchTokenCaller } from "../../accounts/caller.ts";
import { Answer } from "../../kernel/http/answer.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import type { RuntimeClaims } from "../../kernel/tokens/tokens.ts";
import { HEARTBEAT_INTERVAL_S } from "../avatar-session.ts";
import type { AvatarSessions } from "../avatar-sessions.ts";
import { assertModelInScope } from "../launch/launch-fields.ts";
import { planNoticeSchema, withPlanNotice } from "../plan-notice.ts";
import { sessionNotFound } from "../session-access.ts";
import { requireAccount } from "../session-machine.ts";
import type { SessionServices } from "../session-services.ts";
import { findTokenExchange } from "../tokens/token-exchange-store.ts";
import { describeFace, describeJob, modelKeyOf, portraitKeyOf } from "./job-description.ts";
import { requireCallersSession, requireWorkerSession, superseded } from "./worker-session.ts";

const params = z.object({ id: z.string() });

/** An error stops a self-hosted runtime, as the contract says; our own workers read `stop`. The contract lets it stop
 *  on 402 and 403 alone, so every other end is RUNTIME_SUSPENDED. */
const STOP_ERRORS: Partial<Record<EndReason, ErrorCode>> = {
  balance_exhausted: "INSUFFICIENT_BALANCE",
  duration_limit: "SESSION_DURATION_LIMIT",
};

export function runtimeRoutes(services: SessionServices, avatarSessions: AvatarSessions): Route[] {
  const { database, policies, storage, tokens, links } = services;
  const tags = ["Runtime"];

  async function sendObject(key: string | null): Promise<Answer<undefined>> {
    const sizeBytes = key === null ? null : await storage.sizeOf(key);
    if (key === null || sizeBytes === null) throw new ServiceError("NOT_FOUND", "The avatar session has no such file");
    return new Answer<undefined>({
      headers: { "Content-Type": "application/octet-stream", "Content-Length": String(sizeBytes) },
      stream: (await storage.read(key)) as Readable,
    });
  }

  function fileRoute(name: "model" | "portrait", summary: string, keyOf: typeof modelKeyOf): Route {
    return route({
      method: "get",
      path: `/v1/runtime/sessions/:id/${name}`,
      operation: `workers.${name}`,
      tier: "none",
      auth: "runtime-session",
      summary,
      tags,
      params,
      responseType: "application/octet-stream",
      errors: ["NOT_FOUND", "FORBIDDEN"],
      internal: true,
      async handler({ params, caller }) {
        const session = await requireCallersSession(database, caller, params.id);
        return sendObject(await keyOf(database, session));
      },
    });
  }

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
      async handler({ body, caller }) {
        const { account, secretId, launch, transactionId: id } = caller;
        if (launch !== null) await assertInScope(services, { account, ...launch }, body);
        const exchange = id === null ? null : await findTokenExchange(database, { id, userId: account.userId });
        const session = await avatarSessions.startSelfHosted({
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
    route({
      method: "get",
      path: "/v1/runtime/sessions/:id/job",
      operation: "workers.getJob",
      tier: "none",
      auth: "runtime-session",
      summary: "The job description of an avatar session; for self-hosted runtimes, its face",
      tags,
      params,
      response: jobDescriptionSchema,
      errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT"],
      internal: true,
      async handler({ params, caller }) {
        const session = await requireCallersSession(database, caller, params.id);
        if (session.status === "ended") throw sessionNotFound(params.id);
        if (caller.kind === "runtime") return describeFace(services, session);
        if (session.dispatchNumber !== caller.dispatchNumber) throw superseded();
        const livekitToken = await avatarSessions.joinTokenOf(session.id);
        return describeJob({ services, session, livekitToken, heartbeatIntervalS: HEARTBEAT_INTERVAL_S });
      },
    }),
    fileRoute("model", "The .imx file of an avatar session", modelKeyOf),
    fileRoute("portrait", "The portrait that an avatar session is baked from", portraitKeyOf),
    route({
      method: "post",
      path: "/v1/runtime/sessions/:id/events",
      operation: "workers.reportEvent",
      tier: "none",
      auth: "runtime-session",
      openToSuspended: true,
      summary: "Report that an avatar session is live or has ended",
      tags,
      params,
      body: sessionEventSchema,
      response: z.object({ ok: z.boolean() }),
      errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT"],
      internal: true,
      async handler({ params, body, caller }) {
        const { session, dispatchNumber } = await requireWorkerSession(database, caller, params.id);
        const isTaken = await avatarSessions.reportEvent(session.id, dispatchNumber, body);
        if (isTaken) return { ok: true };
        throw superseded();
      },
    }),
    route({
      method: "post",
      path: "/v1/runtime/sessions/:id/beat",
      operation: "runtimeSessions.heartbeat",
      tier: "none",
      auth: "runtime-session",
      openToSuspended: true,
      summary: "Report served seconds (heartbeat); a repeated seq is harmless",
      tags,
      params,
      body: heartbeatSchema,
      response: heartbeatAnswerSchema,
      errors: ["NOT_FOUND", "INSUFFICIENT_BALANCE", "RUNTIME_SUSPENDED", "SESSION_DURATION_LIMIT"],
      async handler({ params, body, caller }) {
        const { id } = await requireCallersSession(database, caller, params.id);
        const dispatchNumber = caller.kind === "runtime-session" ? caller.dispatchNumber : null;
        const { stop, balance, account } = await avatarSessions.reportHeartbeat(id, dispatchNumber, body);
        if (stop !== null && caller.kind === "runtime") throw stopError(stop, links.topupUrl);
        const minted =
          caller.kind === "runtime-session"
            ? await tokens.runtimeSession.mint({ sub: id, dispatch: caller.dispatchNumber })
            : await tokens.runtime.mint({
                sub: account.userId,
                key: caller.secretId,
                ...(caller.transactionId !== null && { tx: caller.transactionId }),
                ...(caller.launch !== null && { launch: claimsOf(caller.launch) }),
              });
        return withPlanNotice(account, services.now(), {
          ok: stop === null,
          balance,
          ...(stop === null ? { token: minted.token } : { stop: { reason: stop } }),
        });
      },
    }),
    route({
      method: "post",
      path: "/v1/runtime/sessions/:id/stop",
      operation: "runtimeSessions.stop",
      tier: "none",
      auth: "runtime-session",
      openToSuspended: true,
      summary: "End a self-hosted session",
      tags,
      params,
      body: z.object({ served_seconds: z.number().min(0) }),
      response: z.object({ billed_seconds: z.number(), credits: z.int(), plan_notice: planNoticeSchema }),
      errors: ["NOT_FOUND"],
      async handler({ params, body, caller }) {
        const { id } = await requireCallersSession(database, caller, params.id);
        if (caller.kind === "runtime-session") {
          const event = { event: "ended" as const, reason: "ended_by_api", served_seconds: body.served_seconds };
          await avatarSessions.reportEvent(id, caller.dispatchNumber, event);
        } else {
          await avatarSessions.stopSelfHosted(id, body.served_seconds);
        }
        const session = await requireCallersSession(database, caller, id);
        const account = caller.kind === "runtime" ? caller.account : await requireAccount(database, session.userId);
        return withPlanNotice(account, services.now(), {
          billed_seconds: session.servedDeciseconds / 10,
          credits: session.credits ?? 0,
        });
      },
    }),
  ];
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
