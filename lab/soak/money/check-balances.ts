// Compares the kept balances with what they are kept of.
import { sql } from "kysely";
import type { Database } from "../../../api/kernel/database/database.ts";

/** One line for each account with a kept balance that differs from the sums of its movements and accruals. */
export async function checkBalances(database: Database): Promise<string[]> {
  const { rows } = await sql<{ user_id: string; kept: string; summed: string }>`
    select account.user_id,
      concat_ws(' ', kept.plan_credits, kept.reward_credits, kept.topup_credits, kept.accrued_credits) as kept,
      concat_ws(' ',
        coalesce(sum(posting.amount_credits) filter (where posting.ledger_account = 'plan'), 0),
        coalesce(sum(posting.amount_credits) filter (where posting.ledger_account = 'reward'), 0),
        coalesce(sum(posting.amount_credits) filter (where posting.ledger_account = 'topup'), 0),
        (select coalesce(sum(credits), 0) from credit_accruals where user_id = account.user_id)
      ) as summed
    from accounts account
    left join credit_balances kept on kept.user_id = account.user_id
    left join credit_postings posting on posting.user_id = account.user_id
    group by account.user_id, kept.user_id
  `.execute(database);
  return rows
    .filter(({ kept, summed }) => kept !== summed)
    .map(({ user_id, kept, summed }) => `the kept balance of ${user_id} is ${kept}, its movements sum to ${summed}`);
}
