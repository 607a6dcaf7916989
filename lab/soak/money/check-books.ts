// Compares the ledger with what the api promised. All data comes from queries in this file, so that the check does not
// depend on the code under test.
import { sql } from "kysely";
import { PLAN_LIMITS } from "../../../api/accounts/plans/plans.ts";
import type { Database } from "../../../api/kernel/database/database.ts";
import { checkBalances } from "./check-balances.ts";
import type { Promises } from "./operations.ts";

/** A charge or refund with more movements, summed. */
interface Charge {
  reference: string;
  reason: string;
  agent_code: string | null;
  user_id: string;
  charged: number;
  refunded: number;
}

/** Sentences about what is wrong; none if all is well. The service must have come to rest. */
export async function checkBooks(database: Database, promises: Promises): Promise<string[]> {
  const charges = await readCharges(database);
  return [
    ...promises.violations,
    ...(await checkSums(database)),
    ...(await checkBalances(database)),
    ...(await checkSpending(database)),
    ...checkRefunds(charges),
    ...(await checkModels(database, charges)),
    ...(await checkAgents(database, charges, promises)),
    ...(await checkSessions(database, charges, promises)),
    ...(await checkGrants(database, promises)),
    ...(await checkMonths(database)),
  ];
}

/** Agents and sessions that have not come to an end, and jobs that wait or run. */
export async function countUnsettled(database: Database): Promise<{ agents: number; sessions: number; jobs: number }> {
  const { rows } = await sql<{ agents: number; sessions: number; jobs: number }>`
    select
      (select count(*) from agents where status not in ('ready', 'failed') and deleted_at is null) as agents,
      (select count(*) from avatar_sessions where status <> 'ended') as sessions,
      (select count(*) from graphile_worker._private_jobs job
        join graphile_worker._private_tasks task on task.id = job.task_id
        where task.identifier in ('make-agent', 'fetch-agent-inputs', 'add-agent-model') and job.attempts < job.max_attempts) as jobs
  `.execute(database);
  return rows[0];
}

async function readCharges(database: Database): Promise<Charge[]> {
  const { rows } = await sql<Charge>`
    select charge.reference, charge.reason, charge.agent_code, charge.user_id,
      sum(charge.amount_credits)::int8 as charged,
      coalesce((select sum(refund.amount_credits) from credit_movements refund
        where refund.user_id = charge.user_id and refund.reference = 'refund:' || charge.reference
          and refund.from_account = 'refunds'), 0)::int8 as refunded
    from credit_movements charge where charge.to_account = 'income'
    group by 1, 2, 3, 4
  `.execute(database);
  return rows;
}

/** The books sum to zero, for each customer too, and refunds are there only for charges. */
async function checkSums(database: Database): Promise<string[]> {
  const { rows } = await sql<{ user_id: string; sum: number }>`
    select user_id, sum(amount_credits)::int8 as sum from credit_postings group by user_id having sum(amount_credits) <> 0
  `.execute(database);
  const stray = await sql<{ reference: string }>`
    select refund.reference from credit_movements refund where refund.from_account = 'refunds' and not exists (
      select from credit_movements charge where charge.user_id = refund.user_id and charge.to_account = 'income'
        and refund.reference = 'refund:' || charge.reference and charge.from_account = refund.to_account)
  `.execute(database);
  return [
    ...rows.map((row) => `the books of ${row.user_id} sum to ${row.sum}`),
    ...stray.rows.map((row) => `${row.reference} gives back what was not charged`),
  ];
}

/** No account spent missing credits: after each order's charge, rewards, top-ups and the total are zero or more. Only
 *  sessions may overdraw, because their time was served. */
async function checkSpending(database: Database): Promise<string[]> {
  const { rows } = await sql<{ reference: string; total: number; least: number }>`
    select reference, total, least from (
      select reference, reason, to_account,
        sum(plan + reward + topup) over books as total,
        least(sum(reward) over books, sum(topup) over books) as least,
        lead(reference) over (partition by user_id order by id) as next_reference
      from (
        select *,
          case when to_account = 'plan' then amount_credits when from_account = 'plan' then -amount_credits else 0 end as plan,
          case when to_account = 'reward' then amount_credits when from_account = 'reward' then -amount_credits else 0 end as reward,
          case when to_account = 'topup' then amount_credits when from_account = 'topup' then -amount_credits else 0 end as topup
        from credit_movements
      ) movement window books as (partition by user_id order by id)
    ) running
    where least < 0 or (starts_with(reason, 'agent_generation_') and next_reference is distinct from reference and total < 0)
  `.execute(database);
  return rows.map((row) => `after ${row.reference} the total was ${row.total}, the lowest pool ${row.least}`);
}

function checkRefunds(charges: readonly Charge[]): string[] {
  return charges
    .filter(({ charged, refunded }) => refunded !== 0 && refunded !== charged)
    .map(({ reference, charged, refunded }) => `${reference}: ${charged} charged, ${refunded} refunded`);
}

/** A model that is ready was paid for, one that failed was given back, and none waits. */
async function checkModels(database: Database, charges: readonly Charge[]): Promise<string[]> {
  const byReference = new Map(charges.map((charge) => [charge.reference, charge]));
  const models = await database
    .selectFrom("agent_models")
    .innerJoin("agents", "agents.id", "agent_models.agent_id")
    .select(["agents.code", "family", "state", "credits", "charge_reference"])
    .execute();
  return models.flatMap(({ code, family, state, credits, charge_reference: reference }) => {
    const { charged = 0, refunded = 0 } = byReference.get(reference) ?? {};
    const isRight =
      charged === credits && ((state === "ready" && refunded === 0) || (state === "failed" && refunded === charged));
    return isRight
      ? []
      : [`${family} of ${code} is ${state}: price ${credits}, charged ${charged}, refunded ${refunded}`];
  });
}

/** Every accepted creation has an agent that came to an end, and was charged once. */
async function checkAgents(database: Database, charges: readonly Charge[], promises: Promises): Promise<string[]> {
  const wrong: string[] = [];
  const agents = await database.selectFrom("agents").select(["code", "user_id", "status", "deleted_at"]).execute();
  const byCode = new Map(agents.map((agent) => [agent.code, agent]));
  const chargesByCode = new Map<string, Charge[]>();
  for (const charge of charges) {
    if (charge.agent_code === null || !charge.reason.startsWith("agent_generation_")) continue;
    chargesByCode.set(charge.agent_code, [...(chargesByCode.get(charge.agent_code) ?? []), charge]);
  }
  for (const [code, promise] of promises.agents) {
    const agent = byCode.get(code);
    if (!agent) wrong.push(`agent ${code} was promised and is not there`);
    else if (agent.deleted_at === null && agent.status !== "ready" && agent.status !== "failed") {
      wrong.push(`agent ${code} is ${agent.status} for ever`);
    }
    const own = chargesByCode.get(code) ?? [];
    const least = promise.accepted - promise.mayBeFree;
    const most = promise.accepted + promise.unknown;
    if (own.length < least || own.length > most) {
      wrong.push(`agent ${code}: ${promise.accepted} orders, ${promise.unknown} unknown, but ${own.length} charges`);
    }
    if (promise.isDoomed && own.some(({ charged, refunded }) => charged !== refunded)) {
      wrong.push(`agent ${code} came to nothing and was not given back`);
    }
  }
  const lost = new Map<string, number>();
  for (const { code, user_id: userId } of agents) {
    if (!promises.agents.has(code)) lost.set(userId, (lost.get(userId) ?? 0) + 1);
  }
  for (const [userId, count] of lost) {
    const most = promises.lostOrders.get(userId) ?? 0;
    if (count > most)
      wrong.push(`account ${userId} has ${count} agents that no answer named; ${most} answers were lost`);
  }
  return wrong;
}

/** Every session has ended and was charged once, to the tenth of a second: what was not charged is carried. */
async function checkSessions(database: Database, charges: readonly Charge[], promises: Promises): Promise<string[]> {
  const wrong: string[] = [];
  const sessions = await database.selectFrom("avatar_sessions").selectAll().execute();
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const byReference = new Map(charges.map((charge) => [charge.reference, charge]));
  const rates: Readonly<Record<string, [code: string, rate: number]>> = {
    "essence-1": ["usage_essence_model_self_hosted", 1],
    "essence-2": ["usage_essence_2_model_self_hosted", 2],
    "expression-2": ["usage_expression_2_model_self_hosted", 2],
  };
  const units = new Map<string, number>();
  for (const { id } of promises.sessions) if (!byId.has(id)) wrong.push(`session ${id} was begun and is not there`);
  for (const session of sessions) {
    const charged = byReference.get(`session:${session.id}`)?.charged ?? 0;
    if (session.status !== "ended") wrong.push(`session ${session.id} is ${session.status} for ever`);
    if (charged !== (session.credits ?? 0))
      wrong.push(`session ${session.id} cost ${session.credits}, charged ${charged}`);
    const [code, rate] = rates[session.family];
    const key = `${session.user_id} ${code}`;
    units.set(key, (units.get(key) ?? 0) + session.served_deciseconds * rate - charged * 600);
  }
  const carries = await database.selectFrom("meter_carries").selectAll().execute();
  const carried = new Map(carries.map((row) => [`${row.user_id} ${row.pricing_code}`, row.carry_units]));
  for (const [key, rest] of units) {
    if (rest !== (carried.get(key) ?? 0)) wrong.push(`${key}: ${rest} units are left, ${carried.get(key)} are carried`);
  }
  return wrong;
}

async function checkGrants(database: Database, promises: Promises): Promise<string[]> {
  const { rows } = await sql<{ reference: string; user_id: string; credits: number; times: number }>`
    select reference, user_id, sum(amount_credits)::int8 as credits, count(*) as times
    from credit_movements where reason = 'soak' group by 1, 2
  `.execute(database);
  const wrong = rows
    .filter(({ reference, user_id: userId, credits, times }) => {
      const promise = promises.grants.get(reference);
      return times !== 1 || promise?.credits !== credits || promise.userId !== userId;
    })
    .map(({ reference, times, credits }) => `${reference} is booked ${times} times, ${credits} credits`);
  if (rows.length !== promises.grants.size) wrong.push(`${rows.length} of ${promises.grants.size} grants are booked`);
  return wrong;
}

/** No month brought more than the largest plan has, and each at most once for each plan. */
async function checkMonths(database: Database): Promise<string[]> {
  const { rows } = await sql<{ user_id: string; month: string; credits: number }>`
    select user_id, split_part(reference, ':', 2) || ':' || split_part(reference, ':', 3) as month,
      sum(amount_credits)::int8 as credits
    from credit_movements where reason = 'plan_credits' group by 1, 2
  `.execute(database);
  return rows
    .filter(({ credits }) => credits > PLAN_LIMITS.enterprise.monthlyCredits)
    .map((row) => `the month ${row.month} brought ${row.user_id} ${row.credits} credits`);
}
