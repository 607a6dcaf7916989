// Tells launches that wait for a slot, in every api process, that one may be free.
import { sql } from "kysely";
import type { Queryable } from "../../kernel/database/database.ts";

/** Notified without a payload when a session ends or becomes vacant, and when a worker reports. */
export const SLOT_CHANNEL = "avatar_slot";

/** Wakes launches that wait for a slot, when the transaction commits. */
export async function notifySlot(database: Queryable): Promise<void> {
  await sql`select pg_notify(${SLOT_CHANNEL}, '')`.execute(database);
}
