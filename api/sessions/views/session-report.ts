// An account's avatar sessions as a list, and their totals: number, current rate, cost of the last hour.
import type { SqlBool } from "kysely";
import type { ModelFamily } from "../../../shared/models.ts";
import type { EndReason, MindKind } from "../../../shared/runtime-api.ts";
import { pricingCodeOf } from "../../accounts/credits/price-list.ts";
import type { Queryable } from "../../kernel/database/database.ts";
import { accruedCredits, burnRateOf } from "../life/metering.ts";
import { pricedAs } from "../life/viewer-time.ts";
import {
  type AvatarSession,
  type AvatarSessionStatus,
  HEARTBEAT_INTERVAL_S,
  SELF_HOSTED_HEARTBEAT_INTERVAL_S,
} from "../record/avatar-session.ts";

export const SESSION_WINDOWS = ["live", "recent", "ended", "all"] as const;
export const SESSION_KINDS = ["conversations", "self_hosted", "all"] as const;

const HOUR_MS = 3_600_000;
/** A session that ended within this time is `recent`. */
const RECENT_MS = 24 * HOUR_MS;
/** A session is `idle` after this many heartbeat intervals without a heartbeat. */
const IDLE_AFTER_HEARTBEATS = 3;

export interface ReportFilter {
  /** `live`: not ended. `recent`: ended within a day. */
  window: (typeof SESSION_WINDOWS)[number];
  /** `conversations`: sessions on our workers. */
  kind: (typeof SESSION_KINDS)[number];
  agentCode?: string;
  /** Those that began at `start` or later, and before `end`. */
  start?: Date;
  end?: Date;
  limit: number;
  /** Sessions to skip. */
  offset: number;
}

export interface ReportedSession {
  id: string;
  agentCode: string | null;
  agentName: string | null;
  pricingCode: string;
  /** Alias of the secret that started it, even if it has been revoked. */
  secretAlias: string | null;
  roomName: string;
  /** The end user named at its launch, by its embed token, or at its token exchange. */
  endUserId: string | null;
  /** Of the token exchange that started it, with the exchange's tags. */
  transactionId: string | null;
  tags: string | null;
  createdAt: Date;
  endedAt: Date | null;
  endReason: EndReason | null;
  lastSeenAt: Date;
  servedDeciseconds: number;
  viewerDeciseconds: number;
  credits: number;
  rateCreditsPerMinute: number;
  /** Whether messages of it are kept. */
  hasTranscript: boolean;
  /** `idle`: not ended, but not live yet or without a recent heartbeat. */
  state: "live" | "idle" | "ended";
}

interface ReportRow {
  id: string;
  agent_code: string | null;
  agent_name: string | null;
  alias: string | null;
  family: ModelFamily;
  is_self_hosted: boolean;
  room_name: string;
  transaction_id: string | null;
  end_user_id: string | null;
  tags: string | null;
  status: AvatarSessionStatus;
  created_at: Date;
  ended_at: Date | null;
  end_reason: EndReason | null;
  last_seen_at: Date;
  viewers_render: boolean;
  served_deciseconds: number;
  viewer_deciseconds: number;
  chat_deciseconds: number;
  camera_deciseconds: number;
  mind: MindKind | null;
  credits: number | null;
  has_transcript: SqlBool;
}

/** An account's sessions, newest first, and the number of those that the filter leaves, on any page. */
export async function listSessions(
  database: Queryable,
  userId: string,
  filter: ReportFilter,
  now: Date,
): Promise<{ sessions: ReportedSession[]; total: number }> {
  const filtered = filteredSessions(database, userId, filter, now);
  const { total } = await filtered
    .select((fields) => fields.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const rows = await filtered
    .leftJoin("agents as agent", (join) =>
      join.onRef("agent.code", "=", "session.agent_code").onRef("agent.user_id", "=", "session.user_id"),
    )
    .leftJoin("api_secrets as secret", "secret.id", "session.secret_id")
    .leftJoin("token_exchanges as exchange", "exchange.id", "session.transaction_id")
    .select(["session.transaction_id", "exchange.tags"])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom("session_messages")
          .select("session_messages.seq")
          .whereRef("session_messages.session_id", "=", "session.id"),
      ).as("has_transcript"),
    )
    .select((fields) => fields.fn.coalesce("session.end_user_id", "exchange.end_user_id").as("end_user_id"))
    .select([
      "session.id",
      "session.agent_code",
      "agent.name as agent_name",
      "secret.alias",
      "session.family",
      "session.is_self_hosted",
      "session.room_name",
      "session.status",
      "session.created_at",
      "session.ended_at",
      "session.end_reason",
      "session.last_seen_at",
      "session.viewers_render",
      "session.served_deciseconds",
      "session.viewer_deciseconds",
      "session.chat_deciseconds",
      "session.camera_deciseconds",
      "session.mind",
      "session.credits",
    ])
    .orderBy("session.created_at", "desc")
    .orderBy("session.id", "desc")
    .limit(filter.limit)
    .offset(filter.offset)
    .execute();
  return { sessions: rows.map((row) => toReportedSession(row, now)), total };
}

function filteredSessions(
  database: Queryable,
  userId: string,
  { window, kind, agentCode, start, end }: ReportFilter,
  now: Date,
) {
  let query = database.selectFrom("avatar_sessions as session").where("session.user_id", "=", userId);
  if (window === "live") query = query.where("session.status", "<>", "ended");
  if (window === "ended") query = query.where("session.status", "=", "ended");
  if (window === "recent") query = query.where("session.ended_at", ">=", new Date(now.getTime() - RECENT_MS));
  if (kind !== "all") query = query.where("session.is_self_hosted", "=", kind === "self_hosted");
  if (agentCode !== undefined) query = query.where("session.agent_code", "=", agentCode);
  if (start !== undefined) query = query.where("session.created_at", ">=", start);
  if (end !== undefined) query = query.where("session.created_at", "<", end);
  return query;
}

export interface SessionTotals {
  /** Sessions that have not ended, self-hosted ones included. */
  activeCount: number;
  /** Rate of all live sessions together. */
  burnRateCreditsPerMinute: number;
  /** Cost of the last 60 minutes. A session that began earlier counts in proportion to its time within them. */
  creditsThisHour: number;
}

/** Totals over all sessions of an account. */
export async function totalSessions(database: Queryable, userId: string, now: Date): Promise<SessionTotals> {
  const hourStart = new Date(now.getTime() - HOUR_MS);
  const rows = await database
    .selectFrom("avatar_sessions")
    .select(["family", "is_self_hosted", "status", "created_at", "live_at", "last_seen_at", "ended_at"])
    .select(["viewers_render", "served_deciseconds", "viewer_deciseconds"])
    .select(["chat_deciseconds", "camera_deciseconds", "mind", "credits"])
    .where("user_id", "=", userId)
    .where((field) => field.or([field("status", "<>", "ended"), field("ended_at", ">=", hourStart)]))
    .execute();
  const totals: SessionTotals = { activeCount: 0, burnRateCreditsPerMinute: 0, creditsThisHour: 0 };
  for (const row of rows) {
    const metered = {
      family: row.family,
      isSelfHosted: row.is_self_hosted,
      viewersRender: row.viewers_render,
      servedDeciseconds: row.served_deciseconds,
      viewerDeciseconds: row.viewer_deciseconds,
      chatDeciseconds: row.chat_deciseconds,
      cameraDeciseconds: row.camera_deciseconds,
      mind: row.mind,
    };
    if (row.status !== "ended") totals.activeCount++;
    if (row.status === "live") totals.burnRateCreditsPerMinute += burnRateOf(metered);
    const startMs = (row.live_at ?? row.created_at).getTime();
    const endMs = (row.ended_at ?? now).getTime();
    const shareOfHour = endMs > startMs ? (endMs - Math.max(startMs, hourStart.getTime())) / (endMs - startMs) : 1;
    totals.creditsThisHour += (row.credits ?? accruedCredits(metered)) * shareOfHour;
  }
  return totals;
}

/** Ids of an account's sessions that have not ended, self-hosted ones included. */
export async function listRunningIds(database: Queryable, userId: string): Promise<string[]> {
  const rows = await database
    .selectFrom("avatar_sessions")
    .select("id")
    .where("user_id", "=", userId)
    .where("status", "<>", "ended")
    .orderBy("created_at")
    .execute();
  return rows.map(({ id }) => id);
}

/** The reported state of a session at `now`. */
function stateOf(
  session: Pick<AvatarSession, "status" | "isSelfHosted" | "lastSeenAt">,
  now: Date,
): ReportedSession["state"] {
  if (session.status === "ended") return "ended";
  const heartbeatMs = 1000 * (session.isSelfHosted ? SELF_HOSTED_HEARTBEAT_INTERVAL_S : HEARTBEAT_INTERVAL_S);
  const silentMs = now.getTime() - session.lastSeenAt.getTime();
  return session.status === "live" && silentMs <= IDLE_AFTER_HEARTBEATS * heartbeatMs ? "live" : "idle";
}

function toReportedSession(row: ReportRow, now: Date): ReportedSession {
  const served = {
    family: row.family,
    isSelfHosted: row.is_self_hosted,
    mind: row.mind,
    viewersRender: row.viewers_render,
    servedDeciseconds: row.served_deciseconds,
    viewerDeciseconds: row.viewer_deciseconds,
    chatDeciseconds: row.chat_deciseconds,
    cameraDeciseconds: row.camera_deciseconds,
  };
  return {
    id: row.id,
    agentCode: row.agent_code,
    agentName: row.agent_name,
    pricingCode: pricingCodeOf(pricedAs(served)),
    secretAlias: row.alias,
    roomName: row.room_name,
    hasTranscript: Boolean(row.has_transcript),
    transactionId: row.transaction_id,
    endUserId: row.end_user_id,
    tags: row.tags,
    createdAt: row.created_at,
    endedAt: row.ended_at,
    endReason: row.end_reason,
    lastSeenAt: row.last_seen_at,
    servedDeciseconds: row.served_deciseconds,
    viewerDeciseconds: row.viewer_deciseconds,
    credits: row.credits ?? accruedCredits(served),
    rateCreditsPerMinute: burnRateOf(served),
    state: stateOf({ status: row.status, isSelfHosted: row.is_self_hosted, lastSeenAt: row.last_seen_at }, now),
  };
}
