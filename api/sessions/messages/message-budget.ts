// How many messages are kept: bounds in number and bytes per session, and in bytes per account and day. Their text may
// come from a server of the account's own.
import { sql, type Transaction } from "kysely";
import {
  MESSAGE_BURST,
  MESSAGE_BURST_BYTES,
  MESSAGE_BYTES_PER_SECOND,
  MESSAGES_PER_SECOND,
  messageBytes,
} from "../../../shared/message-limits.ts";
import { findAccount } from "../../accounts/account-store.ts";
import { PLAN_LIMITS } from "../../accounts/plans/plans.ts";
import type { Queryable, Tables } from "../../kernel/database/database.ts";
import type { AvatarSession } from "../record/avatar-session.ts";
import type { StoredMessage } from "./message-store.ts";
import "./message-tables.ts";

/** For each session that the plan runs at a time: a hundred hours of conversation. */
const DAILY_BYTES_PER_SESSION = 10_000_000;

/** Why messages are not kept. */
export type DropCause = "session" | "account";

export interface BudgetedMessages {
  kept: StoredMessage[];
  /** Null if all are kept. */
  cause: DropCause | null;
}

/** Counts messages, in the order of their numbers, and returns those that may be kept. A message over the bounds of its
 *  session is left out; once an account is over those of its day (UTC), all are. The session's row must be locked. */
export async function budgetMessages(
  transaction: Transaction<Tables>,
  session: Pick<AvatarSession, "id" | "userId" | "createdAt">,
  messages: readonly StoredMessage[],
  now: Date,
): Promise<BudgetedMessages> {
  const kept = await withinSession(transaction, session, messages, now);
  const cause = kept.length < messages.length ? "session" : null;
  const bytes = bytesOf(kept);
  if (bytes === 0) return { kept, cause };
  if (!(await isWithinDay(transaction, session.userId, bytes, now))) return { kept: [], cause: "account" };
  await transaction
    .updateTable("avatar_sessions")
    .set({ message_bytes: sql`message_bytes + ${bytes}` })
    .where("id", "=", session.id)
    .execute();
  return { kept, cause };
}

/** Forgets the counts of days before `before`. */
export async function deleteMessageDays(database: Queryable, before: Date): Promise<void> {
  await database.deleteFrom("message_days").where("day", "<", dayOf(before)).execute();
}

/** `seq` counts the messages of the session. */
async function withinSession(
  transaction: Transaction<Tables>,
  { id, createdAt }: Pick<AvatarSession, "id" | "createdAt">,
  messages: readonly StoredMessage[],
  now: Date,
): Promise<StoredMessage[]> {
  const ageS = Math.max(0, (now.getTime() - createdAt.getTime()) / 1000);
  const { message_bytes: earlierBytes } = await transaction
    .selectFrom("avatar_sessions")
    .select("message_bytes")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  let leftBytes = MESSAGE_BURST_BYTES + ageS * MESSAGE_BYTES_PER_SECOND - earlierBytes;
  return messages.filter((message) => {
    const bytes = messageBytes(message);
    if (message.seq > MESSAGE_BURST + ageS * MESSAGES_PER_SECOND || bytes > leftBytes) return false;
    leftBytes -= bytes;
    return true;
  });
}

/** Adds to what an account has said today. */
async function isWithinDay(
  transaction: Transaction<Tables>,
  userId: string,
  bytes: number,
  now: Date,
): Promise<boolean> {
  const account = await findAccount(transaction, userId);
  const sessions = account ? PLAN_LIMITS[account.plan].concurrentSessions : 1;
  const { total } = await transaction
    .insertInto("message_days")
    .values({ user_id: userId, day: dayOf(now), bytes })
    .onConflict((conflict) =>
      conflict.columns(["user_id", "day"]).doUpdateSet({ bytes: sql`message_days.bytes + excluded.bytes` }),
    )
    .returning("bytes as total")
    .executeTakeFirstOrThrow();
  return total <= sessions * DAILY_BYTES_PER_SESSION;
}

function bytesOf(messages: readonly StoredMessage[]): number {
  return messages.reduce((sum, message) => sum + messageBytes(message), 0);
}

/** Days since 1970, UTC. */
function dayOf(time: Date): number {
  return Math.floor(time.getTime() / 86_400_000);
}
