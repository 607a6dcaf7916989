// Answers that are kept for a day, so that a client that retries with the same key gets the first answer, not a second job.
import { createHash } from "node:crypto";
import { ServiceError } from "../../shared/errors.ts";
import type { Queryable } from "../database/database.ts";

/** Source: the contract. */
const RETENTION_MS = 24 * 3_600_000;
const MAX_KEY_LENGTH = 255;

export interface IdempotentRequest {
  userId: string;
  /** Name of the operation: one key may be used once for each. */
  operation: string;
  key: string;
  bodySha256: string;
}

/** The request's idempotency facts, or null if the header is absent. Throws VALIDATION_ERROR for a malformed key. */
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
  const bodySha256 = createHash("sha256").update(canonicalJson(body)).digest("hex");
  return { userId, operation, key, bodySha256 };
}

/** The answer kept for a request, or null. Throws CONFLICT if the key was used with another body. */
export async function findAnswer(database: Queryable, request: IdempotentRequest, now: Date): Promise<unknown> {
  const row = await database
    .selectFrom("idempotency_keys")
    .select(["body_sha256", "answer"])
    .where("user_id", "=", request.userId)
    .where("operation", "=", request.operation)
    .where("key", "=", request.key)
    .where("created_at", ">", new Date(now.getTime() - RETENTION_MS))
    .executeTakeFirst();
  if (!row) return null;
  if (row.body_sha256 !== request.bodySha256) {
    throw new ServiceError("CONFLICT", "This Idempotency-Key was used before with another body");
  }
  return JSON.parse(row.answer);
}

/** Keeps an answer. Runs in the transaction of the work it answers for: of two requests at once, the second waits here until the
 *  first is committed. Returns false if an answer is kept already; then roll back and return that one. */
export async function keepAnswer(
  database: Queryable,
  request: IdempotentRequest,
  answer: unknown,
  now: Date,
): Promise<boolean> {
  await forgetOldAnswers(database, now);
  const result = await database
    .insertInto("idempotency_keys")
    .values({
      user_id: request.userId,
      operation: request.operation,
      key: request.key,
      body_sha256: request.bodySha256,
      answer: JSON.stringify(answer),
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

async function forgetOldAnswers(database: Queryable, now: Date): Promise<void> {
  await database
    .deleteFrom("idempotency_keys")
    .where("created_at", "<=", new Date(now.getTime() - RETENTION_MS))
    .execute();
}

/** JSON with sorted keys: two bodies that mean the same are the same. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  );
}
