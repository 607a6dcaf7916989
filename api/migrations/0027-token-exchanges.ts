// Why: the `transaction_id` of a token exchange was not stored, so it could not be looked up. Tokens get one key per
// purpose; tokens that are in use during an upgrade stay valid for their hour.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const tokenExchangesMigration: Migration = {
  name: "0027-token-exchanges",
  async up(transaction) {
    await sql`
      create table token_exchanges (
        -- The transaction_id of the answer.
        id uuid primary key,
        user_id uuid not null references accounts on delete cascade,
        agent_code text,
        billing_type text,
        room_name text,
        end_user_id text,
        fingerprint text,
        tags text,
        expires_at timestamptz not null
      );
      create index token_exchanges_by_expiry on token_exchanges (expires_at);

      -- The exchange with the token that began the session; exchanges that began one are kept.
      alter table avatar_sessions add column transaction_id uuid references token_exchanges on delete set null;
      create index avatar_sessions_by_transaction on avatar_sessions (transaction_id) where transaction_id is not null;

      insert into settings (key, value)
        select 'undivided_key_until', to_char((now() + interval '1 hour') at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
        from settings where key = 'signing_key';
    `.execute(transaction);
  },
};
