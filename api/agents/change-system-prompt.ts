// Changes the system prompts of agents. Concurrent changes share one statement and so one commit. With a statement for
// each, the commits of the database would limit the write throughput that `npm run bench -- rest` measures (ADR 22).
import { sql } from "kysely";
import type { Database } from "../kernel/database/database.ts";
import { createSharedStatement } from "../kernel/database/shared-statement.ts";

export interface SystemPromptChange {
  /** Only an agent of this account is changed. */
  userId: string;
  code: string;
  systemPrompt: string;
  now: Date;
}

/** Writes the change and resolves once it is committed. Returns whether the account has an undeleted agent of this
 *  code. Of several changes to one agent, the last one stays. */
export async function changeSystemPrompt(database: Database, change: SystemPromptChange): Promise<boolean> {
  // If another transaction holds the row, only this change waits for it, not the others of its batch.
  return (await changeUnlocked(database, change)) || (await changeAlone(database, change));
}

/** Changes agents with rows that no other transaction holds. */
const changeUnlocked = createSharedStatement<SystemPromptChange, boolean>((database) => async (changes) => {
  const last = [...new Map(changes.map((change) => [keyOf(change), change])).values()];
  const { rows } = await sql<{ userId: string; code: string }>`
    with change as (
      select * from unnest(
        ${last.map(({ userId }) => userId)}::uuid[],
        ${last.map(({ code }) => code)}::text[],
        ${last.map(({ systemPrompt }) => systemPrompt)}::text[],
        ${last.map(({ now }) => now)}::timestamptz[]
      ) as change(user_id, code, system_prompt, now)
    ), locked as (
      select agent.id, change.system_prompt, change.now
      from agents agent join change on agent.code = change.code and agent.user_id = change.user_id
      where agent.deleted_at is null
      for no key update of agent skip locked
    )
    update agents set system_prompt = locked.system_prompt, updated_at = locked.now
    from locked where agents.id = locked.id
    returning agents.user_id as "userId", agents.code`.execute(database);
  const changed = new Set(rows.map(keyOf));
  return changes.map((change) => changed.has(keyOf(change)));
});

async function changeAlone(
  database: Database,
  { userId, code, systemPrompt, now }: SystemPromptChange,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable("agents")
    .set({ system_prompt: systemPrompt, updated_at: now })
    .where("code", "=", code)
    .where("user_id", "=", userId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function keyOf({ userId, code }: Pick<SystemPromptChange, "userId" | "code">): string {
  return `${userId} ${code}`;
}
