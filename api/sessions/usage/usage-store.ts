// Usage of an account: every charge and refund of the ledger, and avatar sessions without a charge so far.
import { type RawBuilder, sql } from "kysely";
import type { ModelFamily } from "../../../shared/models.ts";
import { CAMERA_PRICING_CODE, CHAT_PRICING_CODE } from "../../accounts/credits/price-list.ts";
import { UNITS_PER_CREDIT } from "../../accounts/credits/time-charge.ts";
import type { Queryable } from "../../kernel/database/database.ts";
import { accruedCameraCredits, accruedChatCredits } from "../life/metering.ts";
import { modelCharges } from "../life/viewer-time.ts";

export interface UsageFilter {
  /** Earliest time, inclusive. */
  start?: Date;
  /** Latest time, exclusive. */
  end?: Date;
  agentCode?: string;
}

export interface UsageRecord {
  /** Unique within the account. A session keeps its id when it is charged. */
  id: string;
  pricingCode: string;
  isSession: boolean;
  agentCode: string | null;
  /** Consumed; negative for a refund. */
  credits: number;
  roomName: string | null;
  startedAt: Date;
  /** Null while the session runs. */
  endedAt: Date | null;
  createdAt: Date;
}

/** `model`: the whole session, or its time with video; `viewers`: then its time without video. */
type Line = "model" | "viewers" | "chat" | "camera";

interface UsageRow {
  id: string;
  pricing_code: string | null;
  agent_code: string | null;
  credits: number | null;
  created_at: Date;
  session_id: string | null;
  line: Line | null;
  family: ModelFamily | null;
  is_self_hosted: boolean | null;
  viewers_render: boolean | null;
  served_deciseconds: number | null;
  viewer_deciseconds: number | null;
  chat_deciseconds: number | null;
  camera_deciseconds: number | null;
  room_name: string | null;
  live_at: Date | null;
  ended_at: Date | null;
}

/** One page of an account's usage, newest first, and the number of records in all pages. Granted and purchased credits
 *  are not usage. */
export async function listUsage(
  database: Queryable,
  userId: string,
  options: UsageFilter & { limit: number; offset: number },
): Promise<{ records: UsageRecord[]; total: number }> {
  const usage = usageOf(userId, options);
  const page = await sql<UsageRow>`
    select * from (${usage}) usage
    order by created_at desc, id desc limit ${options.limit} offset ${options.offset}
  `.execute(database);
  const counted = await sql<{ total: number }>`select count(*) as total from (${usage}) usage`.execute(database);
  return { records: page.rows.map(toUsageRecord), total: counted.rows[0].total };
}

/** One row per ledger reference (a charge has one movement for each pool that it came from), joined with its session. A
 *  session has up to four: of its model with video and without, its chat line and its camera line. */
function usageOf(userId: string, { start, end, agentCode }: UsageFilter): RawBuilder<unknown> {
  return sql`
    select * from (
      select
        coalesce(charge.reference, session.reference) as id,
        charge.reason as pricing_code,
        coalesce(charge.agent_code, session.agent_code) as agent_code,
        charge.credits,
        coalesce(session.created_at, charge.created_at) as created_at,
        session.id as session_id, session.line, session.family, session.is_self_hosted, session.viewers_render,
        session.served_deciseconds, session.viewer_deciseconds, session.chat_deciseconds, session.camera_deciseconds, session.room_name, session.live_at, session.ended_at
      from (
        select
          reference, reason, agent_code, min(created_at) as created_at,
          sum(case when to_account = 'income' then amount_credits else -amount_credits end) as credits
        from credit_movements
        where user_id = ${userId} and (to_account = 'income' or from_account = 'refunds')
        group by reference, reason, agent_code
      ) charge
      full join (
        select 'session:' || id as reference, 'model' as line, * from avatar_sessions where user_id = ${userId}
        union all
        select 'session:' || id || ':viewers', 'viewers', * from avatar_sessions
        where user_id = ${userId} and viewer_deciseconds > 0 and viewer_deciseconds < served_deciseconds
        union all
        select 'session:' || id || ':chat', 'chat', * from avatar_sessions
        where user_id = ${userId} and chat_deciseconds > 0
        union all
        select 'session:' || id || ':camera', 'camera', * from avatar_sessions
        where user_id = ${userId} and camera_deciseconds > 0
      ) session on charge.reference = session.reference
    ) everything
    where (${start ?? null}::timestamptz is null or created_at >= ${start ?? null})
      and (${end ?? null}::timestamptz is null or created_at < ${end ?? null})
      and (${agentCode ?? null}::text is null or agent_code = ${agentCode ?? null})
  `;
}

function toUsageRecord(row: UsageRow): UsageRecord {
  const common = { id: row.id, agentCode: row.agent_code, createdAt: row.created_at };
  if (row.session_id === null || row.family === null) {
    const { created_at: at, pricing_code: pricingCode } = row;
    return {
      ...common,
      pricingCode: pricingCode ?? "",
      isSession: false,
      credits: row.credits ?? 0,
      roomName: null,
      startedAt: at,
      endedAt: at,
    };
  }
  const { code, accrued } = lineOf(row.line ?? "model", row.family, row);
  return {
    ...common,
    pricingCode: row.pricing_code ?? code,
    isSession: true,
    // An ended session without a charge cost less than a credit, which is carried to the next one.
    credits: row.credits ?? (row.ended_at === null ? accrued : 0),
    roomName: row.room_name || null,
    startedAt: row.live_at ?? row.created_at,
    endedAt: row.ended_at,
  };
}

/** Pricing code of a session's line, and what it has cost so far. */
function lineOf(line: Line, family: ModelFamily, row: UsageRow): { code: string; accrued: number } {
  if (line === "chat") {
    return { code: CHAT_PRICING_CODE, accrued: accruedChatCredits({ chatDeciseconds: row.chat_deciseconds ?? 0 }) };
  }
  if (line === "camera") {
    const accrued = accruedCameraCredits({ cameraDeciseconds: row.camera_deciseconds ?? 0 });
    return { code: CAMERA_PRICING_CODE, accrued };
  }
  const charges = modelCharges({
    family,
    isSelfHosted: row.is_self_hosted ?? false,
    viewersRender: row.viewers_render ?? false,
    servedDeciseconds: row.served_deciseconds ?? 0,
    viewerDeciseconds: row.viewer_deciseconds ?? 0,
  });
  const { pricingCode, units } = charges.find((charge) => charge.line === line) ?? charges[0];
  return { code: pricingCode, accrued: Math.floor(units / UNITS_PER_CREDIT) };
}
