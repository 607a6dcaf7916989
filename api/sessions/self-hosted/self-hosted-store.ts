// Self-hosted sessions in PostgreSQL: rows of `avatar_sessions` that no worker of ours runs.
import type { Queryable } from "../../kernel/database/database.ts";
import type { AvatarSession } from "../record/avatar-session.ts";
import { toAvatarSession } from "../record/avatar-session-store.ts";

/** The self-hosted session that was begun with a launch token and the same exchange of it, if it runs; else null. */
export async function findRunningOfToken(
  database: Queryable,
  { launchTokenId, transactionId }: { launchTokenId: string | null; transactionId: string | null },
): Promise<AvatarSession | null> {
  if (launchTokenId === null || transactionId === null) return null;
  const row = await database
    .selectFrom("avatar_sessions")
    .selectAll()
    .where("launch_token_id", "=", launchTokenId)
    .where("transaction_id", "=", transactionId)
    .where("status", "<>", "ended")
    .executeTakeFirst();
  return row ? toAvatarSession(row) : null;
}

/** Number of an account's running self-hosted sessions that have served nothing yet. */
export async function countUnserved(database: Queryable, userId: string): Promise<number> {
  const { count } = await database
    .selectFrom("avatar_sessions")
    .select((fields) => fields.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .where("status", "<>", "ended")
    .where("is_self_hosted", "=", true)
    .where("served_deciseconds", "=", 0)
    .executeTakeFirstOrThrow();
  return count;
}

/** Ids of the sessions that last reported before `since`, longest silence first, at most `limit`. */
export async function listSilentSelfHosted(
  database: Queryable,
  { since, limit }: { since: Date; limit: number },
): Promise<string[]> {
  const rows = await database
    .selectFrom("avatar_sessions")
    .select("id")
    .where("is_self_hosted", "=", true)
    .where("status", "<>", "ended")
    .where("last_seen_at", "<", since)
    .orderBy("last_seen_at")
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

/** Ends, in one statement, at most `limit` self-hosted sessions without served time that last reported before `since`.
 *  They cost nothing. Returns their ids. For `session-machine.ts` alone. */
export async function endUnserved(
  database: Queryable,
  { since, limit, at }: { since: Date; limit: number; at: Date },
): Promise<string[]> {
  const rows = await database
    .updateTable("avatar_sessions")
    .set({ status: "ended", end_reason: "worker_lost", ended_at: at, credits: 0 })
    .where("id", "in", (expired) =>
      expired
        .selectFrom("avatar_sessions")
        .select("id")
        .where("is_self_hosted", "=", true)
        .where("status", "<>", "ended")
        .where("served_deciseconds", "=", 0)
        .where("last_seen_at", "<", since)
        .orderBy("last_seen_at")
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning("id")
    .execute();
  return rows.map((row) => row.id);
}

/** Limits of `deleteUnserved`. */
export interface UnservedLimits {
  /** Sessions that ended before this are deleted. */
  before: Date;
  /** Of later ones, each account keeps this many, the newest. Those of launch tokens are all kept: a token's session
   *  shows that it was used. */
  keptPerAccount: number;
}

/** Deletes ended self-hosted sessions that served nothing, which cost nothing. */
export async function deleteUnserved(database: Queryable, { before, keptPerAccount }: UnservedLimits): Promise<void> {
  await database
    .with("unserved", (query) =>
      query
        .selectFrom("avatar_sessions")
        .select(["id", "ended_at", "launch_token_id"])
        .select((fields) =>
          fields.fn
            .agg<number>("row_number")
            .over((over) => over.partitionBy("user_id").orderBy("ended_at", "desc"))
            .as("place"),
        )
        .where("is_self_hosted", "=", true)
        .where("status", "=", "ended")
        .where("served_deciseconds", "=", 0),
    )
    .deleteFrom("avatar_sessions")
    .where("id", "in", (query) =>
      query
        .selectFrom("unserved")
        .select("id")
        .where(({ or, and, eb }) =>
          or([eb("ended_at", "<", before), and([eb("place", ">", keptPerAccount), eb("launch_token_id", "is", null)])]),
        ),
    )
    .execute();
}
