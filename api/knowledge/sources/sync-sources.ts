// Fetches sources again when they are due. Changed content is stored, and the bases that hold the source are built
// again.
import { isServiceError } from "../../../shared/errors.ts";
import { nextSync } from "../knowledge-base.ts";
import { assertKnowledgeQuota } from "../knowledge-quota.ts";
import type { KnowledgeServices } from "../knowledge-services.ts";
import {
  findKnowledgeBase,
  type KnowledgeFile,
  listBasesOf,
  markChanged,
  takeSourcesToSync,
  updateFile,
} from "../knowledge-store.ts";
import { refetchSource } from "./add-source.ts";
import { startBuild } from "./start-build.ts";

/** Sources per round. Each organization has only a few of them, so that slow sources of one do not delay the others. */
const SOURCES_PER_ROUND = 20;
const SOURCES_PER_ORGANIZATION = 4;
const PARALLEL_FETCHES = 4;

/** One round. Safe to run in several processes at the same time. A source that fails is logged and retried later. */
export async function syncSources(services: KnowledgeServices): Promise<void> {
  const now = new Date(services.now());
  const limits = { total: SOURCES_PER_ROUND, perOrganization: SOURCES_PER_ORGANIZATION };
  const queue = await takeSourcesToSync(services.database, now, limits);
  async function work(): Promise<void> {
    for (let file = queue.shift(); file; file = queue.shift()) await trySource(services, file, now);
  }
  await Promise.all(Array.from({ length: PARALLEL_FETCHES }, work));
}

async function trySource(services: KnowledgeServices, file: KnowledgeFile, now: Date): Promise<void> {
  try {
    await syncSource(services, file, now);
  } catch (error) {
    const why = isServiceError(error) ? { reason: error.message } : { err: error };
    services.logger.info({ ...why, fileId: file.id }, "source of a knowledge base was not fetched");
  }
}

async function syncSource(services: KnowledgeServices, file: KnowledgeFile, now: Date): Promise<void> {
  const { database, storage, links } = services;
  const changed = await refetchSource(services, file);
  const next = nextSync(file.sync_freq, now);
  if (!changed) {
    await updateFile(database, file.id, { next_sync_at: next, sync_failures: 0 });
    return;
  }
  const { objectKey, sha256, sizeBytes } = changed;
  const isKept = await database
    .transaction()
    .execute(async (transaction) => {
      const check = { addedBytes: sizeBytes - file.size_bytes, lock: true };
      await assertKnowledgeQuota(transaction, links, file.organization_id, check);
      const isUpdated = await updateFile(transaction, file.id, {
        object_key: objectKey,
        sha256,
        size_bytes: sizeBytes,
        next_sync_at: next,
        sync_failures: 0,
      });
      if (!isUpdated) return false;
      for (const id of await listBasesOf(transaction, file.id)) {
        await markChanged(transaction, id);
        const base = await findKnowledgeBase(transaction, id, { lock: true });
        // A build that may not start now leaves the base stale; its owner sees this and can build it.
        if (base) await startBuild(transaction, base, base.user_id, now);
      }
      return true;
    })
    .catch(async (error: unknown) => {
      await storage.delete(objectKey);
      throw error;
    });
  // If the file was deleted meanwhile, its new content is deleted too.
  await storage.delete(isKept ? file.object_key : objectKey);
}
