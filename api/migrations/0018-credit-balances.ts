// Why: a balance was the sum of an account's whole history, computed at every heartbeat and charge. Now triggers keep
// it beside the movements and update it in the same transaction, so it cannot differ from their sum. The credits that
// running sessions have accrued are kept in the same way, so that every charge sees them. `early_topup_credits` is the
// remainder of top-ups bought before 2026-09-27, which still give a Free account access to the api; top-ups are spent
// oldest first.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const creditBalancesMigration: Migration = {
  name: "0018-credit-balances",
  async up(transaction) {
    await sql`
      create table credit_balances (
        user_id uuid primary key references accounts on delete cascade,
        plan_credits bigint not null default 0,
        reward_credits bigint not null default 0,
        topup_credits bigint not null default 0,
        accrued_credits bigint not null default 0 check (accrued_credits >= 0),
        early_topup_credits bigint not null default 0
      ) with (fillfactor = 70);

      create table credit_accruals (
        user_id uuid not null references accounts on delete cascade,
        reference text not null,
        credits integer not null check (credits > 0),
        primary key (user_id, reference)
      ) with (fillfactor = 70);

      create function pool_change(pool text, from_account text, to_account text, amount bigint) returns bigint
        language sql immutable
        return case when to_account = pool then amount when from_account = pool then -amount else 0 end;

      create function early_topup_change(movement credit_movements) returns bigint
        language sql immutable
        return case
          when movement.from_account = 'topup' then -movement.amount_credits
          when movement.to_account = 'topup' and movement.from_account = 'refunds' then movement.amount_credits
          when movement.to_account = 'topup' and movement.created_at < timestamptz '2026-09-27 00:00:00+00'
            then movement.amount_credits
          else 0
        end;

      lock table accounts, credit_movements in share row exclusive mode;

      insert into credit_balances (user_id, plan_credits, reward_credits, topup_credits, early_topup_credits)
      select
        account.user_id,
        coalesce(sum(pool_change('plan', from_account, to_account, amount_credits)), 0),
        coalesce(sum(pool_change('reward', from_account, to_account, amount_credits)), 0),
        coalesce(sum(pool_change('topup', from_account, to_account, amount_credits)), 0),
        coalesce(sum(early_topup_change(movement)), 0)
      from accounts account left join credit_movements movement on movement.user_id = account.user_id
      group by account.user_id;

      create function add_credit_balance() returns trigger language plpgsql as $$
        begin
          insert into credit_balances (user_id) values (new.user_id);
          return null;
        end
      $$;
      create trigger accounts_have_balances after insert on accounts
        for each row execute function add_credit_balance();

      create function keep_credit_balance() returns trigger language plpgsql as $$
        begin
          update credit_balances set
            plan_credits = plan_credits + pool_change('plan', new.from_account, new.to_account, new.amount_credits),
            reward_credits = reward_credits + pool_change('reward', new.from_account, new.to_account, new.amount_credits),
            topup_credits = topup_credits + pool_change('topup', new.from_account, new.to_account, new.amount_credits),
            early_topup_credits = early_topup_credits + early_topup_change(new)
          where user_id = new.user_id;
          return null;
        end
      $$;
      create trigger credit_movements_keep_balance after insert on credit_movements
        for each row execute function keep_credit_balance();

      create function keep_accrued_credits() returns trigger language plpgsql as $$
        begin
          update credit_balances
            set accrued_credits = accrued_credits + coalesce(new.credits, 0) - coalesce(old.credits, 0)
            where user_id = coalesce(new.user_id, old.user_id);
          return null;
        end
      $$;
      create trigger credit_accruals_keep_balance after insert or delete or update of credits on credit_accruals
        for each row execute function keep_accrued_credits();

      -- A credit is 600 tenths of a second at one credit per minute. The next heartbeat of each session brings its own figure.
      insert into credit_accruals (user_id, reference, credits)
      select user_id, reference, credits
      from (
        select user_id, 'session:' || id as reference, served_deciseconds * case family
          when 'essence-1' then case when is_self_hosted then 1 else 2 end
          when 'essence-2-quality' then case when is_self_hosted then 4 else 8 end
          else case when is_self_hosted then 2 else 4 end
        end / 600 as credits
        from avatar_sessions
        where status <> 'ended'
      ) running
      where credits > 0;
    `.execute(transaction);
  },
};
