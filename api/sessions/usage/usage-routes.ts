// GET /v1/usage: lists how an account's credits were spent.
import { z } from "zod";
import { DYNAMICS_PRICING_CODE, isVideoPricingCode, REALTIME_PRICING_CODE } from "../../accounts/credits/price-list.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import { paginationSchema } from "../../kernel/http/shared-schemas.ts";
import type { SessionServices } from "../session-services.ts";
import { listUsage, type UsageRecord } from "./usage-store.ts";

const ISO_ZONE = /(?:Z|[+-]\d{2}:?\d{2})$/;

/** An ISO 8601 date or time; without a zone it is UTC. */
const momentSchema = z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()]);

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

export function usageRoutes({ database }: SessionServices): Route[] {
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
          start: query.start === undefined ? undefined : parseMoment(query.start),
          end: query.end === undefined ? undefined : parseMoment(query.end),
          agentCode: query.agent_code,
        });
        const pagination = { limit, offset, total, has_more: offset + records.length < total };
        return { success: true as const, data: records.map(toUsageRow), pagination };
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

function parseMoment(text: string): Date {
  const hasTime = text.includes("T");
  return new Date(hasTime && !ISO_ZONE.test(text) ? `${text}Z` : text);
}
