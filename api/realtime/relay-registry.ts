// Registry of running relays, from their own reports.
import { sql } from "kysely";
import type { Queryable } from "../kernel/database/database.ts";
import "./realtime-tables.ts";

/** A relay counts as present for 12 s after its last report: six intervals. By the clock of the database, which is the
 *  same for all api processes. */
const SEEN_SINCE = sql<Date>`now() - interval '12 seconds'`;

/** Stores that a relay reported, and removes relays that stopped without a report. */
export async function noteRelay(database: Queryable, relayId: string): Promise<void> {
  const seen = { last_seen_at: sql<Date>`now()` };
  await database
    .insertInto("realtime_relays")
    .values({ id: relayId, ...seen })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(seen))
    .execute();
  await database.deleteFrom("realtime_relays").where("last_seen_at", "<", SEEN_SINCE).execute();
}

/** Removes a relay that takes no more calls. */
export async function removeRelay(database: Queryable, relayId: string): Promise<void> {
  await database.deleteFrom("realtime_relays").where("id", "=", relayId).execute();
}

/** Relays that take calls. */
export async function countRelays(database: Queryable): Promise<number> {
  const { relays } = await database
    .selectFrom("realtime_relays")
    .select(({ fn }) => fn.countAll<number>().as("relays"))
    .where("last_seen_at", ">=", SEEN_SINCE)
    .executeTakeFirstOrThrow();
  return relays;
}

/** Whether a relay takes calls. */
export async function hasRelay(database: Queryable): Promise<boolean> {
  const row = await database
    .selectFrom("realtime_relays")
    .select("id")
    .where("last_seen_at", ">=", SEEN_SINCE)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
