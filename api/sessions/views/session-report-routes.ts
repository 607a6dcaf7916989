// Routes about all avatar sessions of an account: `/v2/{user_id}/runtime-sessions` and `/v2/{user_id}/runtime`.
import { z } from "zod";
import { answerLatencySchema } from "../../../shared/runtime-api.ts";
import { assertOwnAccount, ownAccountParams } from "../../accounts/own-account.ts";
import { momentSchema, parseMoment } from "../../kernel/http/moment.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import { paginationOf, paginationSchema } from "../../kernel/http/shared-schemas.ts";
import type { AvatarSessions } from "../life/avatar-sessions.ts";
import { revokeRuntime } from "../life/revoke-runtime.ts";
import { listMessages } from "../messages/message-store.ts";
import { SELF_HOSTED_HEARTBEAT_INTERVAL_S } from "../record/avatar-session.ts";
import { requireOwnSession } from "../record/session-access.ts";
import type { SessionServices } from "../session-services.ts";
import { endOutcome } from "./end-outcome.ts";
import { listSessions, type ReportedSession, SESSION_KINDS, SESSION_WINDOWS, totalSessions } from "./session-report.ts";

const TAGS = ["Avatar sessions"];
const DEFAULT_REASON = "user-terminated";
const sessionParams = ownAccountParams.extend({ session_id: z.string() });
const reasonBody = z.object({ reason: z.string().max(200).nullish() });

const reportedSessionSchema = z
  .object({
    id: z.string(),
    agent_code: z.string().nullable(),
    agent_name: z.string().nullable(),
    billing_type: z.string().meta({
      description: "Pricing code of the session; the self-hosted one while only browsers of visitors have rendered it",
    }),
    key_alias: z.string().nullable(),
    room_name: z.string(),
    started: z.iso.datetime(),
    ended: z.iso.datetime().nullable(),
    end_reason: z.string().nullable(),
    last_seen: z.iso.datetime(),
    minutes: z.number(),
    viewer_rendered_minutes: z.number().meta({
      description:
        "Of these minutes, those in which browsers of visitors rendered and no video was streamed. They cost the self-hosted rate",
    }),
    credits: z.int(),
    burn_rate_cr_per_min: z.number(),
    status: z.enum(["live", "idle", "ended"]),
    has_transcript: z.boolean(),
    transaction_id: z
      .uuid()
      .nullable()
      .meta({ description: "The transaction_id of the token exchange that started the session" }),
    end_user_id: z.string().nullable().meta({
      description: "Your own id of the person in front of the avatar: of the launch, embed token or exchange",
    }),
    tags: z.string().nullable().meta({ description: "The tags of the token exchange that started the session" }),
  })
  .meta({ id: "ReportedSession" });

/** Sessions of an account, with its current use. */
const sessionListSchema = z
  .object({
    active_count: z.int(),
    live_burn_rate_cr_per_min: z.number(),
    credits_this_hour: z.number().meta({ description: "Credits used in the last 60 minutes" }),
    sessions: z.array(reportedSessionSchema),
  })
  .meta({ id: "SessionList" });

/** One message of a conversation. */
const messageSchema = z
  .object({
    timestamp: z.iso.datetime(),
    role: z.enum(["user", "assistant"]),
    message: z.string(),
    latency: answerLatencySchema.meta({ id: "AnswerLatency" }).nullable().meta({
      description:
        "Of an answer, ms from the end of speech or the typed text: until the words were known, the turn was over, the answer's first words were there, and its first sound left the avatar. null: of other messages, or not known",
    }),
  })
  .meta({ id: "ConversationMessage" });

/** The messages of a session. */
const conversationSchema = z
  .object({
    session_id: z.string(),
    agent_code: z.string().nullable(),
    started: z.iso.datetime(),
    ended: z.iso.datetime().nullable(),
    live: z.boolean(),
    messages: z.array(messageSchema),
  })
  .meta({ id: "Conversation" });

/** The outcome of ending a session. */
const terminationSchema = z
  .object({
    session_id: z.string(),
    closed: z.boolean(),
    ended: z.boolean().meta({ description: "Whether the avatar is known to have left its room" }),
    self_hosted: z.boolean(),
    note: z.string(),
  })
  .meta({ id: "SessionTermination" });

/** The outcome of ending all sessions of an account. */
const revocationSchema = z
  .object({
    revoked: z.int().meta({ description: "Number of avatar sessions that were ended" }),
    effective_in_seconds: z.int(),
    runtime_suspended: z.literal(true),
    note: z.string(),
  })
  .meta({ id: "RuntimeRevocation" });

export function sessionReportRoutes(services: SessionServices, avatarSessions: AvatarSessions): Route[] {
  const { database, logger, now } = services;

  return [
    route({
      method: "get",
      path: "/v2/:user_id/runtime-sessions",
      operation: "sessions.list",
      tier: "read",
      auth: "secret",
      summary: "List the account's avatar sessions and their costs, newest first",
      tags: TAGS,
      params: ownAccountParams,
      query: z.object({
        window: z.enum(SESSION_WINDOWS).default("all").meta({
          description:
            "live: sessions that have not ended; recent: those that ended within 24 hours; ended: all that ended; all: every one",
        }),
        kind: z.enum(SESSION_KINDS).default("all"),
        agent_code: z.string().min(1).max(100).optional(),
        start: momentSchema.optional().meta({
          description: "Only sessions that began then or later; a date or time, UTC unless it has a time zone",
        }),
        end: momentSchema.optional().meta({ description: "Only sessions that began earlier" }),
        limit: z.coerce.number().int().min(1).max(200).default(50),
        offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
      }),
      response: z.object({
        success: z.literal(true),
        data: sessionListSchema,
        pagination: paginationSchema,
      }),
      errors: ["FORBIDDEN", "VALIDATION_ERROR"],
      async handler({ params, query, caller: { account } }) {
        assertOwnAccount(account, params.user_id);
        const at = new Date(now());
        const totals = await totalSessions(database, account.userId, at);
        const { limit, offset } = query;
        const { sessions, total } = await listSessions(
          database,
          account.userId,
          {
            window: query.window,
            kind: query.kind,
            agentCode: query.agent_code,
            start: parseMoment(query.start),
            end: parseMoment(query.end),
            limit,
            offset,
          },
          at,
        );
        return {
          success: true as const,
          data: {
            active_count: totals.activeCount,
            live_burn_rate_cr_per_min: totals.burnRateCreditsPerMinute,
            credits_this_hour: roundTo2(totals.creditsThisHour),
            sessions: sessions.map(toView),
          },
          pagination: paginationOf({ limit, offset, total }, sessions),
        };
      },
    }),
    route({
      method: "get",
      path: "/v2/:user_id/runtime-sessions/:session_id/messages",
      operation: "sessions.listMessages",
      tier: "read",
      auth: "secret",
      summary: "Get the transcript of a conversation; empty for other avatar sessions",
      tags: TAGS,
      params: sessionParams,
      response: z.object({
        success: z.literal(true),
        data: conversationSchema,
      }),
      errors: ["FORBIDDEN", "NOT_FOUND"],
      async handler({ params, caller }) {
        assertOwnAccount(caller.account, params.user_id);
        const session = await requireOwnSession(database, caller.account.userId, params.session_id);
        return {
          success: true as const,
          data: {
            session_id: session.id,
            agent_code: session.agentCode,
            started: session.createdAt.toISOString(),
            ended: session.endedAt?.toISOString() ?? null,
            live: session.status === "live",
            messages: (await listMessages(database, session.id)).map(({ role, message, saidAt, latency }) => ({
              timestamp: saidAt.toISOString(),
              role,
              message,
              latency,
            })),
          },
        };
      },
    }),
    route({
      method: "post",
      path: "/v2/:user_id/runtime-sessions/:session_id/terminate",
      operation: "sessions.terminate",
      tier: "write",
      auth: "secret",
      openToSuspended: true,
      summary: "End an avatar session and free its slot at once; repeatable",
      tags: TAGS,
      params: sessionParams,
      body: reasonBody,
      example: { body: { reason: "The exhibition is closed." } },
      response: z.object({
        success: z.literal(true),
        data: terminationSchema,
      }),
      errors: ["FORBIDDEN", "NOT_FOUND"],
      async handler({ params, body, caller }) {
        assertOwnAccount(caller.account, params.user_id);
        const { id } = await requireOwnSession(database, caller.account.userId, params.session_id);
        const ended = await avatarSessions.end(id, "terminated");
        const { hasLeft, note } = endOutcome(ended, services.now());
        const reason = body.reason || DEFAULT_REASON;
        logger.info({ avatarSessionId: id, reason }, "avatar session terminated by its owner");
        return {
          success: true as const,
          data: {
            session_id: id,
            closed: true,
            ended: hasLeft,
            self_hosted: ended.isSelfHosted,
            note,
          },
        };
      },
    }),
    route({
      method: "post",
      path: "/v2/:user_id/runtime/revoke-all",
      operation: "sessions.revokeAll",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      openToSuspended: true,
      summary: "End every avatar session and refuse new ones until an API secret is issued",
      tags: TAGS,
      params: ownAccountParams,
      body: reasonBody,
      example: { body: { reason: "A secret was lost." } },
      response: z.object({
        success: z.literal(true),
        data: revocationSchema,
      }),
      errors: ["FORBIDDEN"],
      async handler({ params, body, caller: { account } }) {
        assertOwnAccount(account, params.user_id);
        const revoked = await revokeRuntime(database, avatarSessions, account.userId);
        logger.warn(
          { userId: account.userId, reason: body.reason || DEFAULT_REASON, sessions: revoked },
          "runtime access revoked by the account's owner",
        );
        return {
          success: true as const,
          data: {
            revoked,
            effective_in_seconds: SELF_HOSTED_HEARTBEAT_INTERVAL_S,
            runtime_suspended: true as const,
            note:
              "Runtime tokens are refused from now on; self-hosted runtimes are told at their next heartbeat. " +
              "Revoke a leaked API secret first: issuing a new one undoes this.",
          },
        };
      },
    }),
  ];
}

function toView(session: ReportedSession): z.infer<typeof reportedSessionSchema> {
  return {
    id: session.id,
    agent_code: session.agentCode,
    agent_name: session.agentName,
    billing_type: session.pricingCode,
    key_alias: session.secretAlias,
    room_name: session.roomName,
    started: session.createdAt.toISOString(),
    ended: session.endedAt?.toISOString() ?? null,
    end_reason: session.endReason,
    last_seen: session.lastSeenAt.toISOString(),
    minutes: roundTo2(session.servedDeciseconds / 600),
    viewer_rendered_minutes: roundTo2(session.viewerDeciseconds / 600),
    credits: session.credits,
    burn_rate_cr_per_min: session.state === "ended" ? 0 : session.rateCreditsPerMinute,
    status: session.state,
    has_transcript: session.hasTranscript,
    transaction_id: session.transactionId,
    end_user_id: session.endUserId,
    tags: session.tags,
  };
}

function roundTo2(value: number): number {
  return Math.round(value * 100) / 100;
}
