// Stores answers for a day: a client that retries with the same key gets the first answer, and the work is not
// repeated.
import { createHash } from "node:crypto";
import stringify from "safe-stable-stringify";
import { ServiceError } from "../../../shared/errors.ts";
import type { Queryable } from "../database/database.ts";

/** Source: the contract. */
const RETENTION_MS = 24 * 3_600_000;
const MAX_KEY_LENGTH = 255;

export interface IdempotentRequest {
  userId: string;
  /** Name of the operation. A key may be used once per operation. */
  operation: string;
  key: string;
  bodySha256: string;
}

/** The key and body of a request with an `Idempotency-Key`; null without that header. Throws VALIDATION_ERROR for a
 *  malformed key. */
export function idempotentRequest(
  header: string | string[] | undefined,
  userId: string,
  operation: string,
  body: unknown,
): IdempotentRequest | null {
  if (header === undefined) return null;
  const key = Array.isArray(header) ? header.join(",") : header;
  if (key === "" || key.length > MAX_KEY_LENGTH) {
    throw new ServiceError("VALIDATION_ERROR", `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters`);
  }
  // Keys are sorted, so that bodies with equal content have equal hashes.
  const bodySha256 = createHash("sha256")
    .update(stringify(body) ?? "")
    .digest("hex");
  return { userId, operation, key, bodySha256 };
}

/** Stores the answer. Must be called in the transaction of the work: it throws if another request has stored its
 *  answer, and the throw must roll the transaction back. */
export type KeepAnswer<T> = (transaction: Queryable, answer: T) => Promise<void>;

/** Runs `work` once per key and answers every repeat with the first answer, also for concurrent requests in several
 *  processes: the later one waits in `keep` until the earlier one is committed, and is then rolled back. Failed work
 *  stores no answer, so that it can be retried. Without a request, only runs the work. Throws CONFLICT if the key was
 *  used with another body, and the errors of `work`. */
export async function answerOnce<T>(
  database: Queryable,
  request: IdempotentRequest | null,
  now: Date,
  work: (keep: KeepAnswer<T>) => Promise<T>,
): Promise<{ answer: T; isReplay: boolean }> {
  if (request === null) return { answer: await work(async () => undefined), isReplay: false };
  const kept = await findAnswer<T>(database, request, now);
  if (kept !== null) return { answer: kept, isReplay: true };
  try {
    const answer = await work((transaction, made) => keepAnswer(transaction, request, made, now));
    return { answer, isReplay: false };
  } catch (error) {
    // The first request may be the cause: it may have used the last credits, the last slot or the chosen code.
    const meanwhile = await findAnswer<T>(database, request, now);
    if (meanwhile === null) throw error;
    return { answer: meanwhile, isReplay: true };
  }
}

/** Deletes answers older than a day. */
export async function sweepAnswers(database: Queryable, now: Date): Promise<void> {
  await database.deleteFrom("idempotency_keys").where("created_at", "<=", expiryAt(now)).execute();
}

/** A request with the same key was committed while this one ran. */
class AnsweredMeanwhile extends Error {}

async function findAnswer<T>(database: Queryable, request: IdempotentRequest, now: Date): Promise<T | null> {
  const row = await database
    .selectFrom("idempotency_keys")
    .select(["body_sha256", "answer"])
    .where("user_id", "=", request.userId)
    .where("operation", "=", request.operation)
    .where("key", "=", request.key)
    .where("created_at", ">", expiryAt(now))
    .executeTakeFirst();
  if (!row) return null;
  if (row.body_sha256 !== request.bodySha256) {
    throw new ServiceError(
      "CONFLICT",
      "This Idempotency-Key was already used with a different body. Use a new key for a new request.",
    );
  }
  // Answers are stored by operation, so this one has the operation's type.
  return JSON.parse(row.answer) as T;
}

async function keepAnswer(database: Queryable, request: IdempotentRequest, answer: unknown, now: Date): Promise<void> {
  const values = { body_sha256: request.bodySha256, answer: JSON.stringify(answer), created_at: now };
  const result = await database
    .insertInto("idempotency_keys")
    .values({ user_id: request.userId, operation: request.operation, key: request.key, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(["user_id", "operation", "key"])
        .doUpdateSet(values)
        .where("idempotency_keys.created_at", "<=", expiryAt(now)),
    )
    .executeTakeFirst();
  if ((result.numInsertedOrUpdatedRows ?? 0n) === 0n) throw new AnsweredMeanwhile();
}

function expiryAt(now: Date): Date {
  return new Date(now.getTime() - RETENTION_MS);
}
