// Agents with a failed regeneration that an earlier version wrote.
import { sql } from "kysely";
import type { Database } from "../kernel/database/database.ts";

/** Makes agents ready that have a working model and the status failed, as this version does at once. Repeatable: the
 *  version before may still run beside this one. For the job runner's recovery. */
export async function restoreWorkingAgents(database: Database): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ id: string }>`
      select a.id from agents a
      where a.status = 'failed' and a.deleted_at is null
        and exists (select from agent_models m where m.agent_id = a.id and m.state = 'ready' and not m.is_draft)
      for update`.execute(transaction);
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    await sql`
      update agent_models m set reason = a.error_message from agents a
      where a.id = any(${ids}::uuid[]) and m.agent_id = a.id and m.family = a.model and m.state = 'ready'
    `.execute(transaction);
    await sql`
      update agents set status = 'ready', progress = 1, current_step = 'done', error_message = null,
        progress_msg = 'Ready, as before. ' || coalesce(error_message, '')
      where id = any(${ids}::uuid[])
    `.execute(transaction);
  });
}
