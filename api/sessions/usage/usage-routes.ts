// GET /v1/usage: lists how an account's credits were spent. GET /v1/usage/groups: the sums.
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import { balanceOf } from "../../accounts/credits/ledger.ts";
import { DYNAMICS_PRICING_CODE, isVideoPricingCode, REALTIME_PRICING_CODE } from "../../accounts/credits/price-list.ts";
import { momentSchema, parseMoment } from "../../kernel/http/moment.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import { paginationOf, paginationSchema } from "../../kernel/http/shared-schemas.ts";
import type { SessionServices } from "../session-services.ts";
import { groupUsage, USAGE_GROUPS, type UsageSpan } from "./group-usage.ts";
import { listUsage, type UsageRecord } from "./usage-store.ts";

/** Longest span that is summed. */
const MOST_DAYS = 366;
const DEFAULT_DAYS = 30;
/** The longest span may touch one day more. */
const MOST_GROUPS = MOST_DAYS + 1;
const DAY_MS = 86_400_000;

const usageRowSchema = z
  .object({
    id: z.string(),
    activity_type: z.enum([
      "agent_generation",
      "avatar_session",
      "dynamics_generation",
      "realtime_call",
      "talking_video",
      "refund",
      "other",
    ]),
    pricing_code: z.string(),
    app: z.string(),
    agent_code: z.string().nullable(),
    credits_change: z.int().meta({ description: "Credits consumed; negative for a refund" }),
    frames_rendered: z.int().nullable(),
    room_name: z.string().nullable(),
    start_time: z.iso.datetime(),
    end_time: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "UsageRow" });

const sumSchema = z.object({
  credits: z.int().meta({ description: "Credits consumed, less refunds" }),
  seconds: z.number().meta({
    description:
      "Time of sessions and films that ended in the span, and of realtime calls. The lines of a conversation are part of its session's time: they count in groups by pricing code alone",
  }),
});

const usageGroupSchema = sumSchema
  .extend({
    key: z.string().nullable().meta({
      description:
        "A day of UTC as 2026-11-30, an agent's code, a secret's id or the word console, or a pricing code. null: of no agent, or of a secret that is not known",
    }),
    name: z.string().nullable().meta({ description: "Name of the agent, or alias of the secret" }),
  })
  .meta({ id: "UsageGroup" });

const groupedUsageSchema = z
  .object({
    by: z.enum(USAGE_GROUPS),
    start: z.iso.datetime(),
    end: z.iso.datetime(),
    groups: z.array(usageGroupSchema).meta({ description: "Days in their order; others by credits, the most first" }),
    total: sumSchema.meta({ id: "UsageSum", description: "Of all groups, listed or not" }),
    group_count: z.int().meta({ description: "Number of groups, listed or not" }),
    accrued_credits: z.int().meta({
      description: "Cost of the account's running sessions and calls so far; it is in no group before they end",
    }),
  })
  .meta({ id: "GroupedUsage" });

export function usageRoutes({ database, now }: SessionServices): Route[] {
  return [
    route({
      method: "get",
      path: "/v1/usage",
      operation: "usage.list",
      tier: "read",
      auth: "secret",
      summary: "List the usage of the account's credits, newest first",
      tags: ["Accounts"],
      query: z.object({
        limit: z.coerce.number().int().min(1).max(200).default(50),
        offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
        start: momentSchema
          .optional()
          .meta({ description: "Earliest date or time, inclusive; UTC unless it has a time zone" }),
        end: momentSchema.optional().meta({ description: "Latest date or time, exclusive" }),
        agent_code: z.string().min(1).max(100).optional(),
      }),
      response: z.object({
        success: z.literal(true),
        data: z.array(usageRowSchema),
        pagination: paginationSchema,
      }),
      errors: ["VALIDATION_ERROR"],
      async handler({ query, caller }) {
        const { limit, offset } = query;
        const { records, total } = await listUsage(database, caller.account.userId, {
          limit,
          offset,
          start: parseMoment(query.start),
          end: parseMoment(query.end),
          agentCode: query.agent_code,
        });
        const pagination = paginationOf({ limit, offset, total }, records);
        return { success: true as const, data: records.map(toUsageRow), pagination };
      },
    }),
    route({
      method: "get",
      path: "/v1/usage/groups",
      operation: "usage.group",
      tier: "read",
      auth: "secret",
      summary: "Sum the account's usage by day, agent, API secret or pricing code",
      description: "The sums of all groups are those of the ledger's charges and refunds in the span.",
      tags: ["Accounts"],
      query: z.object({
        by: z.enum(USAGE_GROUPS),
        start: momentSchema.optional().meta({ description: "Default: 30 days before end" }),
        end: momentSchema
          .optional()
          .meta({ description: "Default: the end of this day, in UTC. At most 366 days after start" }),
        agent_code: z.string().min(1).max(100).optional().meta({ description: "Only the usage of this agent" }),
        limit: z.coerce.number().int().min(1).max(MOST_GROUPS).default(MOST_GROUPS),
      }),
      example: { query: { by: "day" } },
      response: z.object({ success: z.literal(true), data: groupedUsageSchema }),
      errors: ["VALIDATION_ERROR"],
      async handler({ query, caller }) {
        const { userId } = caller.account;
        const { by, limit, agent_code: agentCode } = query;
        const span = readSpan(query, now());
        const { groups, total, groupCount } = await groupUsage(database, userId, { by, limit, agentCode, ...span });
        return {
          success: true as const,
          data: {
            by,
            start: span.start.toISOString(),
            end: span.end.toISOString(),
            groups,
            total,
            group_count: groupCount,
            accrued_credits: (await balanceOf(database, userId)).accruedCredits,
          },
        };
      },
    }),
  ];
}

function toUsageRow(record: UsageRecord): z.infer<typeof usageRowSchema> {
  return {
    id: record.id,
    activity_type: activityTypeOf(record),
    pricing_code: record.pricingCode,
    app: "api",
    agent_code: record.agentCode,
    credits_change: record.credits,
    // Sessions are metered in seconds; frames are not counted.
    frames_rendered: null,
    room_name: record.roomName,
    start_time: record.startedAt.toISOString(),
    end_time: record.endedAt?.toISOString() ?? null,
    created_at: record.createdAt.toISOString(),
  };
}

function activityTypeOf({ isSession, pricingCode }: UsageRecord): z.infer<typeof usageRowSchema>["activity_type"] {
  if (isSession) return "avatar_session";
  if (pricingCode.startsWith("credit_refund_")) return "refund";
  if (pricingCode === REALTIME_PRICING_CODE) return "realtime_call";
  if (pricingCode === DYNAMICS_PRICING_CODE) return "dynamics_generation";
  if (isVideoPricingCode(pricingCode)) return "talking_video";
  return pricingCode.startsWith("agent_generation_") ? "agent_generation" : "other";
}

/** The span of a query. Throws VALIDATION_ERROR for one without a day, and for one that is too long. */
function readSpan(query: { start?: string; end?: string }, nowMs: number): UsageSpan {
  const tomorrow = new Date(Math.floor(nowMs / DAY_MS + 1) * DAY_MS);
  const end = parseMoment(query.end) ?? tomorrow;
  const start = parseMoment(query.start) ?? new Date(end.getTime() - DEFAULT_DAYS * DAY_MS);
  const days = (end.getTime() - start.getTime()) / DAY_MS;
  if (days <= 0) throw new ServiceError("VALIDATION_ERROR", "start must be before end");
  if (days > MOST_DAYS) throw new ServiceError("VALIDATION_ERROR", `start and end may be ${MOST_DAYS} days apart`);
  return { start, end };
}
