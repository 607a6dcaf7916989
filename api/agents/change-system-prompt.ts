// Changes what agents are told to be. Those that come at the same time are written, and made durable, together.
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

/** Writes the change and returns whether there is such an agent: one of that account, and not deleted. Committed when it resolves. Of
 *  several changes of one agent the last stays, as if each had come alone. */
export async function changeSystemPrompt(database: Database, change: SystemPromptChange): Promise<boolean> {
  // An agent that somebody holds is waited for alone, not by everybody else.
  return (await changeFree(database, change)) || (await changeAlone(database, change));
}

/** Changes agents that nobody holds. */
const changeFree = createSharedStatement<SystemPromptChange, boolean>((database) => async (changes) => {
  const last = [...new Map(changes.map((change) => [keyOf(change), change])).values()];
  const { rows } = await sql<{ userId: string; code: string }>`
    with wish as (
      select * from unnest(
        ${last.map(({ userId }) => userId)}::uuid[],
        ${last.map(({ code }) => code)}::text[],
        ${last.map(({ systemPrompt }) => systemPrompt)}::text[],
        ${last.map(({ now }) => now)}::timestamptz[]
      ) as wish(user_id, code, system_prompt, now)
    ), held as (
      select agent.id, wish.system_prompt, wish.now
      from agents agent join wish on agent.code = wish.code and agent.user_id = wish.user_id
      where agent.deleted_at is null
      for no key update of agent skip locked
    )
    update agents set system_prompt = held.system_prompt, updated_at = held.now
    from held where agents.id = held.id
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
