// The runtime API: what avatar workers and self-hosted runtimes fetch and report. Never rate limited.
import type { Readable } from "node:stream";
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import {
  heartbeatAnswerSchema,
  heartbeatSchema,
  jobDescriptionSchema,
  sessionEventSchema,
} from "../../../shared/runtime-api.ts";
import { planNoticeSchema, withPlanNotice } from "../../accounts/plans/plan-notice.ts";
import { Answer } from "../../kernel/http/answer.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import type { AvatarSessions } from "../life/avatar-sessions.ts";
import { requireAccount } from "../life/session-machine.ts";
import { HEARTBEAT_INTERVAL_S } from "../record/avatar-session.ts";
import { sessionNotFound } from "../record/session-access.ts";
import { describeFace } from "../self-hosted/describe-face.ts";
import { answerHeartbeat } from "../self-hosted/self-hosted-routes.ts";
import type { SelfHostedSessions } from "../self-hosted/self-hosted-sessions.ts";
import type { SessionServices } from "../session-services.ts";
import { describeJob, modelKeyOf, portraitKeyOf } from "./job-description.ts";
import { requireCallersSession, requireWorkerSession, superseded } from "./runtime-access.ts";

const params = z.object({ id: z.string() });

export function runtimeRoutes(
  services: SessionServices,
  { avatarSessions, selfHosted }: { avatarSessions: AvatarSessions; selfHosted: SelfHostedSessions },
): Route[] {
  const { database, storage, tokens } = services;
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
        return sendObject(await keyOf(services, session));
      },
    });
  }

  return [
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
      internal: true,
      async handler({ params, body, caller }) {
        const { id } = await requireCallersSession(database, caller, params.id);
        if (caller.kind === "runtime") return answerHeartbeat(services, selfHosted, { caller, id, heartbeat: body });
        const { dispatchNumber } = caller;
        const { stop, balance, account } = await avatarSessions.reportHeartbeat(id, dispatchNumber, body);
        const minted = await tokens.runtimeSession.mint({ sub: id, dispatch: dispatchNumber });
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
      internal: true,
      async handler({ params, body, caller }) {
        const { id } = await requireCallersSession(database, caller, params.id);
        if (caller.kind === "runtime-session") {
          const event = { event: "ended" as const, reason: "ended_by_api", served_seconds: body.served_seconds };
          await avatarSessions.reportEvent(id, caller.dispatchNumber, event);
        } else {
          await selfHosted.stop(id, body.served_seconds);
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
