// The ledger of an account as its owner reads it: every movement, with the balance after it.
import { sql } from "kysely";
import type { Queryable } from "../../kernel/database/database.ts";
import type { CreditPool, LedgerAccount } from "../account-tables.ts";

/** What a movement did: `charge` and `refund` of usage; `top_up`: bought credits; `grant`: credits of a plan or a
 *  reward; `lapse`: plan credits that a month has left. */
export const MOVEMENT_KINDS = ["charge", "refund", "top_up", "grant", "lapse"] as const;
export type MovementKind = (typeof MOVEMENT_KINDS)[number];

/** The service's side of each kind. */
const HOUSE_ACCOUNT_OF = {
  charge: "income",
  refund: "refunds",
  top_up: "sold",
  grant: "issued",
  lapse: "lapsed",
} as const;

export interface MovementFilter {
  /** Absent: any. */
  kind?: MovementKind;
  /** Absent: of any agent, and of none. */
  agentCode?: string;
  /** Earliest time, inclusive. */
  start?: Date;
  /** Latest time, exclusive. */
  end?: Date;
  limit: number;
  offset: number;
}

export interface ListedMovement {
  id: number;
  kind: MovementKind;
  /** Pricing code or other fixed word. */
  reason: string;
  /** Of what it paid for: the same in all parts of a charge. */
  reference: string;
  pool: CreditPool;
  /** Added to the balance; negative if taken. */
  credits: number;
  /** Of all pools, without what running work has accrued. */
  balanceAfter: number;
  agentCode: string | null;
  agentName: string | null;
  /** Alias of the API secret that ordered it; null if that is not known, and for the console. */
  secretAlias: string | null;
  createdAt: Date;
}

interface MovementRow {
  id: number;
  house: LedgerAccount;
  reason: string;
  reference: string;
  pool: CreditPool;
  credits: number;
  balance_after: number;
  agent_code: string | null;
  agent_name: string | null;
  secret_alias: string | null;
  created_at: Date;
}

/** One page of an account's movements, the last booked first, and the number of movements in all pages. */
export async function listMovements(
  database: Queryable,
  userId: string,
  { kind, agentCode, start, end, limit, offset }: MovementFilter,
): Promise<{ movements: ListedMovement[]; total: number }> {
  const house = kind === undefined ? null : HOUSE_ACCOUNT_OF[kind];
  const wanted = sql`
    user_id = ${userId}
      and (${house}::text is null or ${house} in (from_account, to_account))
      and (${agentCode ?? null}::text is null or agent_code = ${agentCode ?? null})
      and (${start ?? null}::timestamptz is null or created_at >= ${start ?? null})
      and (${end ?? null}::timestamptz is null or created_at < ${end ?? null})`;
  const isCredit = sql`to_account in ('plan', 'reward', 'topup')`;
  const page = await sql<MovementRow>`
    select
      movement.*, agent.name as agent_name, secret.alias as secret_alias,
      balance.plan_credits + balance.reward_credits + balance.topup_credits - (
        select coalesce(sum(case when ${isCredit} then amount_credits else -amount_credits end), 0)
        from credit_movements later where later.user_id = ${userId} and later.id > movement.id
      ) as balance_after
    from (
      select
        id, user_id, reason, reference, agent_code, secret_id, created_at,
        case when ${isCredit} then from_account else to_account end as house,
        case when ${isCredit} then to_account else from_account end as pool,
        case when ${isCredit} then amount_credits else -amount_credits end as credits
      from credit_movements
      where ${wanted}
      order by id desc limit ${limit} offset ${offset}
    ) movement
    join credit_balances balance on balance.user_id = movement.user_id
    left join agents agent on agent.code = movement.agent_code and agent.user_id = movement.user_id
    left join avatar_sessions session
      on starts_with(movement.reference, 'session:') and session.id = split_part(movement.reference, ':', 2)
    left join api_secrets secret
      on secret.id = coalesce(movement.secret_id, session.secret_id) and not secret.is_console
    order by movement.id desc
  `.execute(database);
  const counted = await sql<{ total: number }>`
    select count(*) as total from credit_movements where ${wanted}`.execute(database);
  return { movements: page.rows.map(toListedMovement), total: counted.rows[0].total };
}

function toListedMovement(row: MovementRow): ListedMovement {
  const kind = MOVEMENT_KINDS.find((name) => HOUSE_ACCOUNT_OF[name] === row.house);
  if (kind === undefined) throw new Error(`movement ${row.id} is of no kind`);
  return {
    id: row.id,
    kind,
    reason: row.reason,
    reference: row.reference,
    pool: row.pool,
    credits: row.credits,
    balanceAfter: row.balance_after,
    agentCode: row.agent_code,
    agentName: row.agent_name,
    secretAlias: row.secret_alias,
    createdAt: row.created_at,
  };
}
