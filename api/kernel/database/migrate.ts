// Brings the schema up to date. All pending migrations run in one transaction under one lock, so that processes may
// start at the same time and a failure leaves no partial change.
import { type Kysely, sql, type Transaction } from "kysely";
import type { Migration } from "./migration.ts";

/** Any constant works, as long as no other code takes the same advisory lock. */
const MIGRATION_LOCK = 7_025_001;

/** Thrown when the database was written by a newer version of this service. */
export class SchemaTooNewError extends Error {
  constructor(unknown: readonly string[]) {
    super(
      `The database holds migrations that this version does not know (${unknown.join(", ")}): ` +
        "it was used by a newer version. Start that version, or restore a backup made before the upgrade.",
    );
    this.name = "SchemaTooNewError";
  }
}

/** Applies pending migrations and returns their names, in order. Throws SchemaTooNewError, or the database's own error.
 *  */
export function migrate<T>(database: Kysely<T>, migrations: readonly Migration[]): Promise<string[]> {
  return database.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction);
    await sql`create table if not exists schema_migrations (
      name text primary key,
      applied_at timestamptz not null default now()
    )`.execute(transaction);
    const rows = await sql<{ name: string }>`select name from schema_migrations order by name`.execute(transaction);
    const applied = new Set(rows.rows.map((row) => row.name));
    const known = new Set(migrations.map((migration) => migration.name));
    const unknown = [...applied].filter((name) => !known.has(name));
    if (unknown.length > 0) throw new SchemaTooNewError(unknown);
    const pending = migrations.filter((migration) => !applied.has(migration.name));
    for (const migration of pending) {
      await migration.up(transaction as unknown as Transaction<unknown>);
      await sql`insert into schema_migrations (name) values (${migration.name})`.execute(transaction);
    }
    return pending.map((migration) => migration.name);
  });
}
