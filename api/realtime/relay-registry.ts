// Registry of running relays, from their own reports.
import type { Queryable } from "../kernel/database/database.ts";
import "./realtime-tables.ts";

/** A relay counts as present for this time after its last report: six intervals. */
const PRESENT_MS = 12_000;

/** Stores that a relay reported, and removes relays that stopped without a report. */
export async function noteRelay(database: Queryable, relayId: string, at: Date): Promise<void> {
  await database
    .insertInto("realtime_relays")
    .values({ id: relayId, last_seen_at: at })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ last_seen_at: at }))
    .execute();
  await database.deleteFrom("realtime_relays").where("last_seen_at", "<", seenSince(at)).execute();
}

/** Removes a relay that takes no more calls. */
export async function removeRelay(database: Queryable, relayId: string): Promise<void> {
  await database.deleteFrom("realtime_relays").where("id", "=", relayId).execute();
}

/** Relays that take calls. */
export async function countRelays(database: Queryable, now: Date): Promise<number> {
  const { relays } = await database
    .selectFrom("realtime_relays")
    .select(({ fn }) => fn.countAll<number>().as("relays"))
    .where("last_seen_at", ">=", seenSince(now))
    .executeTakeFirstOrThrow();
  return relays;
}

/** Whether a relay takes calls. */
export async function hasRelay(database: Queryable, now: Date): Promise<boolean> {
  const row = await database
    .selectFrom("realtime_relays")
    .select("id")
    .where("last_seen_at", ">=", seenSince(now))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

function seenSince(now: Date): Date {
  return new Date(now.getTime() - PRESENT_MS);
}
