// An account's settings for the embed pages of its agents.
import type { Queryable } from "../kernel/database/database.ts";

/** Sites that may show an account's embed pages in a frame, as CSP host sources (`https://shop.example`); null for any
 *  site. */
export type FrameAncestors = readonly string[] | null;

/** The setting of an account. */
export async function findFrameAncestors(database: Queryable, userId: string): Promise<FrameAncestors> {
  const row = await database
    .selectFrom("embed_settings")
    .select("frame_ancestors")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row?.frame_ancestors ?? null;
}

/** The setting of the account that owns an agent; null (any site) if there is no such agent. */
export async function findFrameAncestorsOfAgent(database: Queryable, agentCode: string): Promise<FrameAncestors> {
  const row = await database
    .selectFrom("agents")
    .innerJoin("embed_settings", "embed_settings.user_id", "agents.user_id")
    .select("embed_settings.frame_ancestors")
    .where("agents.code", "=", agentCode)
    .executeTakeFirst();
  return row?.frame_ancestors ?? null;
}

/** Replaces the setting of an account. */
export async function setFrameAncestors(
  database: Queryable,
  userId: string,
  frameAncestors: FrameAncestors,
  now: Date,
): Promise<void> {
  const values = { frame_ancestors: frameAncestors === null ? null : [...frameAncestors], updated_at: now };
  await database
    .insertInto("embed_settings")
    .values({ user_id: userId, ...values })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(values))
    .execute();
}
