// Decides whether a build may start, and starts it. Limits per account: one at a time, and twenty a day.
import { randomUUID } from "node:crypto";
import { ServiceError } from "../../../shared/errors.ts";
import { findAccount } from "../../accounts/account-store.ts";
import type { Queryable } from "../../kernel/database/database.ts";
import { addJob } from "../../kernel/jobs/add-job.ts";
import { BUILDS_PER_DAY } from "../knowledge-base.ts";
import {
  countBuilds,
  insertBuild,
  type KnowledgeBase,
  listFilesOf,
  listRunning,
  updateKnowledgeBase,
} from "../knowledge-store.ts";

export const BUILD_KNOWLEDGE_BASE = "build-knowledge-base";
/** Attempts of one build: the database or the embeddings server may be down, and processes may die. */
const MAX_ATTEMPTS = 5;
const DAY_MS = 86_400_000;

/** `started`, or the reason why not. `rebuild`: a build is running, and another one will follow it. */
export type BuildOutcome =
  | { kind: "started"; buildId: string }
  | { kind: "rebuild" }
  | { kind: "empty" }
  | { kind: "busy" }
  | { kind: "cap" };

/** Starts a build of a base, in a transaction that has locked it. `userId`: the account that it counts for. */
export async function startBuild(
  transaction: Queryable,
  base: KnowledgeBase,
  userId: string,
  now: Date,
): Promise<BuildOutcome> {
  if ((await listFilesOf(transaction, base.id)).length === 0) return { kind: "empty" };
  // Serializes the builds of one account.
  await findAccount(transaction, userId, { lock: true });
  const running = await listRunning(transaction, { knowledgeBaseId: base.id, userId });
  if (running.some((build) => build.kb_id === base.id)) {
    await updateKnowledgeBase(transaction, base.id, { is_rebuild_wanted: true });
    return { kind: "rebuild" };
  }
  if (running.length > 0) return { kind: "busy" };
  const midnight = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  if ((await countBuilds(transaction, userId, midnight)) >= BUILDS_PER_DAY) return { kind: "cap" };
  const buildId = randomUUID();
  await insertBuild(transaction, {
    id: buildId,
    kb_id: base.id,
    user_id: userId,
    rev: base.content_rev,
    is_running: true,
    started_at: now,
  });
  await updateKnowledgeBase(transaction, base.id, { status: "queued", is_rebuild_wanted: false, error_message: null });
  const key = `knowledge-build:${buildId}`;
  await addJob(transaction, BUILD_KNOWLEDGE_BASE, { buildId }, { key, maxAttempts: MAX_ATTEMPTS });
  return { kind: "started", buildId };
}

/** The error for a build that did not start. */
export function buildRefusal(outcome: Exclude<BuildOutcome, { kind: "started" }>, base: KnowledgeBase): ServiceError {
  switch (outcome.kind) {
    case "empty":
      return new ServiceError("KB_EMPTY", `Knowledge base ${base.id} has no source files`);
    case "rebuild":
      return new ServiceError(
        "BUILD_IN_PROGRESS",
        `Knowledge base ${base.id} is being built. It will be built again when the running build has ended.`,
      );
    case "busy":
      return new ServiceError(
        "BUILD_CONCURRENCY",
        "Another knowledge base of this account is being built. Try again when that build has ended.",
      );
    case "cap":
      return new ServiceError(
        "BUILD_DAILY_CAP",
        `The limit of ${BUILDS_PER_DAY} builds a day is reached. It resets at 00:00 UTC.`,
      );
  }
}
