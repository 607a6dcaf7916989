// An avatar session as callers see it.
import { z } from "zod";
import { accruedCredits, burnRateOf } from "../life/metering.ts";
import { type AvatarSession, maxSecondsOf } from "../record/avatar-session.ts";

export const sessionViewSchema = z
  .object({
    session_id: z.string(),
    status: z.enum(["starting", "live", "ended"]),
    agent_id: z.string().nullable(),
    model: z.string(),
    room_name: z.string(),
    started_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
    billed_seconds: z.number(),
    viewer_rendered_seconds: z.number().meta({
      description:
        "Of billed_seconds, those in which browsers of visitors rendered and no video was streamed. They cost the self-hosted rate",
    }),
    credits: z.int(),
    burn_rate_cr_per_min: z.number().meta({ description: "Credits a minute as it is billed now; 0 once it has ended" }),
    live_at: z.iso.datetime().nullable().meta({ description: "When the avatar first was in the room, ready" }),
    left_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When the avatar is known to have left the room; null while that is not known" }),
    vacant_since: z.iso
      .datetime()
      .nullable()
      .meta({ description: "Since when a running session waits for its last user to return" }),
    dispatch_number: z.int().meta({ description: "How many workers have been asked to run it, one after the other" }),
    is_self_hosted: z.boolean(),
    has_conversation: z.boolean().meta({ description: "Whether the avatar listens and answers by itself" }),
    end_reason: z.string().nullable(),
    note: z.string().optional().meta({
      description: "What else the caller should know: that the session ended because it reached the longest duration",
    }),
    transaction_id: z
      .uuid()
      .nullable()
      .meta({ description: "The transaction_id of the token exchange that started the session" }),
  })
  .meta({ id: "RuntimeSession" });

/** The view of a session. While it runs, seconds and credits are as of the last report. */
export function toSessionView(session: AvatarSession): z.infer<typeof sessionViewSchema> {
  return {
    session_id: session.id,
    status: session.status,
    agent_id: session.agentCode,
    model: session.model,
    room_name: session.roomName,
    started_at: session.createdAt.toISOString(),
    ended_at: session.endedAt?.toISOString() ?? null,
    billed_seconds: session.servedDeciseconds / 10,
    viewer_rendered_seconds: session.viewerDeciseconds / 10,
    credits: session.credits ?? accruedCredits(session),
    burn_rate_cr_per_min: session.status === "live" ? burnRateOf(session) : 0,
    live_at: session.liveAt?.toISOString() ?? null,
    left_at: session.leftAt?.toISOString() ?? null,
    vacant_since: session.status === "ended" ? null : (session.vacantSince?.toISOString() ?? null),
    dispatch_number: session.dispatchNumber,
    is_self_hosted: session.isSelfHosted,
    has_conversation: session.hasConversation,
    end_reason: session.endReason,
    ...(session.endReason === "duration_limit" && { note: noteOnDuration(session) }),
    transaction_id: session.transactionId,
  };
}

function noteOnDuration(session: AvatarSession): string {
  return `SESSION_DURATION_LIMIT: The session has reached the longest duration, ${maxSecondsOf(session) / 3600} hours.`;
}
