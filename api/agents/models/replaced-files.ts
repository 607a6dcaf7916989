// Deletes files that were replaced, once no reader can be left.
import type { Transaction } from "kysely";
import { z } from "zod";
import type { Logger } from "../../../program/log.ts";
import type { Queryable, Tables } from "../../kernel/database/database.ts";
import { addJob } from "../../kernel/jobs/add-job.ts";
import type { JobKind } from "../../kernel/jobs/job-runner.ts";
import { MODEL_LINK_SECONDS } from "../../kernel/storage/file-links.ts";
import type { ObjectStorage } from "../../kernel/storage/object-storage.ts";

/** A link lives for an hour. In its last second it may lead to a bucket's own link, which lives for another one: in its
 *  last second a download may begin. */
const KEPT_MS = 3 * MODEL_LINK_SECONDS * 1000;
const AT_A_TIME = 50;

const JOB_NAME = "delete-replaced-files";
const payloadSchema = z.object({ keys: z.array(z.string()) });

/** Deletes replaced files that are old enough. For the job runner's recovery. Logs an error of the storage, and leaves
 *  the other files to the next call. */
export async function deleteReplacedFiles({
  database,
  storage,
  logger,
  now,
}: {
  database: Queryable;
  storage: ObjectStorage;
  logger: Logger;
  now(): number;
}): Promise<void> {
  const replaced = await database
    .selectFrom("agent_models")
    .select(["agent_id", "family", "replaced_key"])
    .where("replaced_key", "is not", null)
    .where("replaced_at", "<=", new Date(now() - KEPT_MS))
    .limit(AT_A_TIME)
    .execute();
  for (const { agent_id, family, replaced_key: key } of replaced) {
    try {
      if (key !== null) await storage.delete(key);
    } catch (error) {
      logger.warn({ err: error, key }, "replaced file of a model could not be deleted yet");
      return;
    }
    await database
      .updateTable("agent_models")
      .set({ replaced_key: null, replaced_at: null })
      .where("agent_id", "=", agent_id)
      .where("family", "=", family)
      .where("replaced_key", "=", key)
      .execute();
  }
}

/** Queues the deletion of files that no row remembers, in the transaction that replaces them. */
export function deleteLater(transaction: Transaction<Tables>, keys: readonly string[]): Promise<void> {
  return addJob(transaction, JOB_NAME, { keys }, { delayMs: KEPT_MS });
}

/** The job kind. Safe to repeat. */
export function deleteLaterJob(storage: ObjectStorage): JobKind {
  return {
    name: JOB_NAME,
    concurrency: 1,
    async run(payload) {
      for (const key of payloadSchema.parse(payload).keys) await storage.delete(key);
    },
  };
}
