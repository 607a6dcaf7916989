// Sums of an account's usage in a span: by day, agent, API secret or pricing code. Credits are those of the ledger, at
// the time of their movements, so that all sums are the ledger's. Seconds are those of sessions and films that ended in
// the span, and of realtime calls that were charged in it.
import { type RawBuilder, sql } from "kysely";
import { FAMILIES } from "../../../shared/models.ts";
import {
  CAMERA_PRICING_CODE,
  CHAT_PRICING_CODE,
  pricingCodeOf,
  videoPricingCodeOf,
} from "../../accounts/credits/price-list.ts";
import type { Queryable } from "../../kernel/database/database.ts";

export const USAGE_GROUPS = ["day", "agent", "api_secret", "pricing_code"] as const;
type UsageGrouping = (typeof USAGE_GROUPS)[number];

/** Key of the group of all sessions of the console, which have a secret each. */
const CONSOLE_KEY = "console";

export interface UsageSpan {
  /** Inclusive. */
  start: Date;
  /** Exclusive. */
  end: Date;
}

export interface UsageSum {
  credits: number;
  seconds: number;
}

export interface UsageGroup extends UsageSum {
  /** A day of UTC as `2026-11-30`, an agent's code, a secret's id or `CONSOLE_KEY`, or a pricing code. Null: of no
   *  agent, or of an unknown secret. */
  key: string | null;
  /** The agent's name or the secret's alias; null for the other groupings, and where it has none. */
  name: string | null;
}

export interface GroupedUsage {
  /** Days in their order; the others by credits, the most first. */
  groups: UsageGroup[];
  /** Of all groups, listed or not. */
  total: UsageSum;
  groupCount: number;
}

interface GroupRow {
  key: string | null;
  name: string | null;
  credits: number;
  deciseconds: number;
  total_credits: number;
  total_deciseconds: number;
  group_count: number;
}

/** SQL of each grouping, over `usageIn`, `agent` and `secret`. */
const KEY_OF: Readonly<Record<UsageGrouping, RawBuilder<unknown>>> = {
  day: sql`to_char(usage.at at time zone 'UTC', 'YYYY-MM-DD')`,
  agent: sql`usage.agent_code`,
  api_secret: sql`case when secret.is_console then ${sql.lit(CONSOLE_KEY)} else secret.id::text end`,
  pricing_code: sql`usage.pricing_code`,
};
const NAME_OF: Readonly<Record<UsageGrouping, RawBuilder<unknown>>> = {
  day: sql`null::text`,
  agent: sql`max(agent.name)`,
  api_secret: sql`max(secret.alias) filter (where not secret.is_console)`,
  pricing_code: sql`null::text`,
};

/** The sums of an account, or of one of its agents, at most `limit` groups. The lines of a conversation are part of
 *  their session's time: their seconds count in groups by pricing code alone, and in no total. */
export async function groupUsage(
  database: Queryable,
  userId: string,
  { by, limit, agentCode, ...span }: UsageSpan & { by: UsageGrouping; limit: number; agentCode?: string },
): Promise<GroupedUsage> {
  const deciseconds = by === "pricing_code" ? sql`deciseconds` : sql`case when is_line then 0 else deciseconds end`;
  const order = by === "day" ? sql`key` : sql`credits desc, deciseconds desc, key`;
  const { rows } = await sql<GroupRow>`
    select
      ${KEY_OF[by]} as key, ${NAME_OF[by]} as name,
      sum(credits)::int as credits,
      sum(${deciseconds})::float8 as deciseconds,
      (sum(sum(credits)) over ())::int as total_credits,
      (sum(sum(case when is_line then 0 else deciseconds end)) over ())::float8 as total_deciseconds,
      (count(*) over ())::int as group_count
    from (${usageIn(userId, span)}) usage
    left join agents agent on agent.code = usage.agent_code and agent.user_id = ${userId}
    left join api_secrets secret on secret.id = usage.secret_id
    where ${agentCode ?? null}::text is null or usage.agent_code = ${agentCode ?? null}
    group by 1
    order by ${order} limit ${limit}
  `.execute(database);
  const [first] = rows;
  return {
    groups: rows.map(({ key, name, credits, deciseconds: tenths }) => ({ key, name, credits, seconds: tenths / 10 })),
    total: { credits: first?.total_credits ?? 0, seconds: (first?.total_deciseconds ?? 0) / 10 },
    groupCount: first?.group_count ?? 0,
  };
}

/** What was used in the span: charges and refunds, with credits; sessions and films, with time. A refund has the
 *  pricing code of its charge. */
function usageIn(userId: string, { start, end }: UsageSpan): RawBuilder<unknown> {
  return sql`
    select
      movement.created_at as at, movement.agent_code, coalesce(movement.secret_id, session.secret_id) as secret_id,
      regexp_replace(movement.reason, '^credit_refund_', '') as pricing_code,
      case when to_account = 'income' then amount_credits else -amount_credits end as credits,
      coalesce(deciseconds, 0) as deciseconds, false as is_line
    from credit_movements movement
    left join avatar_sessions session
      on starts_with(movement.reference, 'session:') and session.id = split_part(movement.reference, ':', 2)
    where movement.user_id = ${userId} and (to_account = 'income' or from_account = 'refunds')
      and movement.created_at >= ${start} and movement.created_at < ${end}
    union all
    select ended_at, agent_code, secret_id, line.pricing_code, 0, line.deciseconds, line.is_line
    from avatar_sessions session
    join unnest(
      ${[...FAMILIES]}::text[],
      ${FAMILIES.map((family) => pricingCodeOf({ family, isSelfHosted: false }))}::text[],
      ${FAMILIES.map((family) => pricingCodeOf({ family, isSelfHosted: true }))}::text[]
    ) as price (family, cloud_code, self_hosted_code) on price.family = session.family
    cross join lateral (values
      (cloud_code, case when is_self_hosted then 0 else served_deciseconds - viewer_deciseconds end, false),
      (self_hosted_code, case when is_self_hosted then served_deciseconds else viewer_deciseconds end, false),
      (${CHAT_PRICING_CODE}::text, chat_deciseconds, true),
      (${CAMERA_PRICING_CODE}::text, camera_deciseconds, true)
    ) as line (pricing_code, deciseconds, is_line)
    where session.user_id = ${userId} and session.status = 'ended'
      and session.ended_at >= ${start} and session.ended_at < ${end} and line.deciseconds > 0
    union all
    select video.ended_at, video.agent_code, charge.secret_id, price.pricing_code, 0, video.duration_ms / 100, false
    from videos video
    join unnest(
      ${[...FAMILIES]}::text[], ${FAMILIES.map(videoPricingCodeOf)}::text[]
    ) as price (family, pricing_code) on price.family = video.family
    left join lateral (
      select secret_id from credit_movements
      where user_id = ${userId} and reference = 'video:' || video.id
      order by secret_id limit 1
    ) charge on true
    where video.user_id = ${userId} and video.status = 'completed'
      and video.ended_at >= ${start} and video.ended_at < ${end}
  `;
}
