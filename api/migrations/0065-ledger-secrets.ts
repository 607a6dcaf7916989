// Why: usage is shown by API secret and in seconds, also of what leaves no record of its own once it is charged: orders
// of agents, films and gestures, and realtime calls. Sessions keep theirs. The secret of an earlier movement is that of
// its session, or is not known. The indices let the ledger and its sums of a span be read by account.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const ledgerSecretsMigration: Migration = {
  name: "0065-ledger-secrets",
  async up(transaction) {
    await sql`
      alter table credit_movements
        add column secret_id uuid references api_secrets,
        add column deciseconds integer check (deciseconds >= 0);
      create index credit_movements_in_order on credit_movements (user_id, id desc)
        include (from_account, to_account, amount_credits);
      create index credit_movements_by_time on credit_movements (user_id, created_at);
      create index avatar_sessions_by_end on avatar_sessions (user_id, ended_at) where status = 'ended';
    `.execute(transaction);
  },
};
