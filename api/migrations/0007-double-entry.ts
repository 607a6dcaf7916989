// Why: credits always move between two accounts of the ledger: a customer's pool and one of the service. Each movement
// names both, so the books sum to zero and show the source and the target of every credit. The months of a plan are
// counted from `plan_anchor_at`; `plan_renews_at` is the start of the next one, null where credits do not renew.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const doubleEntryMigration: Migration = {
  name: "0007-double-entry",
  async up(transaction) {
    await sql`
      create table credit_movements (
        id bigint generated always as identity primary key,
        user_id uuid not null references accounts,
        from_account text not null
          check (from_account in ('plan', 'reward', 'topup', 'issued', 'sold', 'income', 'refunds', 'lapsed')),
        to_account text not null
          check (to_account in ('plan', 'reward', 'topup', 'issued', 'sold', 'income', 'refunds', 'lapsed')),
        amount_credits integer not null check (amount_credits > 0),
        reason text not null,
        reference text not null,
        agent_code text,
        created_at timestamptz not null,
        unique (user_id, reference, from_account, to_account),
        constraint credit_movements_between_pool_and_house
          check ((from_account in ('plan', 'reward', 'topup')) <> (to_account in ('plan', 'reward', 'topup')))
      );
      create index credit_movements_by_account on credit_movements (user_id)
        include (from_account, to_account, amount_credits);

      insert into credit_movements
        (user_id, from_account, to_account, amount_credits, reason, reference, agent_code, created_at)
      select
        user_id,
        case
          when amount_credits < 0 then pool
          when starts_with(reason, 'credit_refund_') then 'refunds'
          when pool = 'topup' then 'sold'
          else 'issued'
        end,
        case when amount_credits < 0 then 'income' else pool end,
        abs(amount_credits), reason, reference, agent_code, created_at
      from credit_entries order by id;
      drop table credit_entries;

      create function refuse_change() returns trigger language plpgsql as $$
        begin
          raise exception '% is only ever added to', tg_table_name using errcode = 'restrict_violation';
        end
      $$;
      create trigger credit_movements_stay before update or delete or truncate on credit_movements
        for each statement execute function refuse_change();

      create view credit_postings as
        select id as movement_id, user_id, from_account as ledger_account, -amount_credits as amount_credits, created_at
          from credit_movements
        union all
        select id, user_id, to_account, amount_credits, created_at from credit_movements;

      alter table accounts add column plan_anchor_at timestamptz, add column plan_renews_at timestamptz;
      alter table accounts add constraint accounts_plan_months check ((plan_anchor_at is null) = (plan_renews_at is null));
      create index accounts_by_renewal on accounts (plan_renews_at) where plan_renews_at is not null;
    `.execute(transaction);
  },
};
