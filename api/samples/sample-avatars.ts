// Sample avatars: every portrait of the gallery as a public model file. Each is baked once, in the background after the
// start, or at once if it is downloaded before.
import type { ModelFamily } from "../../shared/models.ts";
import { RIG_GENERATOR_VERSION } from "../../src/face/rig/bake-portrait.ts";
import type { AgentServices } from "../agents/agent-services.ts";
import { BAKE_SAMPLE } from "../agents/creation/agent-queue.ts";
import { artifactFilename } from "../agents/models/model-download.ts";
import type { GalleryEntry } from "../agents/portraits/gallery.ts";
import { SAMPLE_PREFIX } from "../agents/record/agent-code.ts";
import { isAnyInCreation } from "../agents/record/agent-store.ts";
import type { Queryable } from "../kernel/database/database.ts";
import { addJob } from "../kernel/jobs/add-job.ts";
import type { JobKind } from "../kernel/jobs/job-runner.ts";

/** Per process. */
const CONCURRENT_JOBS = 1;
/** Most portraits of the gallery are drawings, and this is the family for every character. */
export const SAMPLE_FAMILY: ModelFamily = "expression-2";
/** Approximate duration of a bake. */
export const RETRY_AFTER_SECONDS = 5;
const MAX_ATTEMPTS = 3;
/** A service that has just started has more urgent work. */
const START_DELAY_MS = 60_000;
/** After a creation, the agent's first session starts. */
const YIELD_DELAY_MS = 15_000;

/** The agent code under which a sample is downloaded. */
export function sampleCode({ id }: GalleryEntry): string {
  return `${SAMPLE_PREFIX}${id}`;
}

/** Storage key of a sample's file. It includes the generator's version, so that a newer version bakes again. */
export function sampleKey({ id }: GalleryEntry): string {
  return `samples/${id}-${RIG_GENERATOR_VERSION}.imx`;
}

/** Filename for the download of a sample. */
export function sampleFilename(entry: GalleryEntry): string {
  return artifactFilename(sampleCode(entry), SAMPLE_FAMILY);
}

/** Queues the bake of a sample, for now or for later. Repeated calls queue it once, at the earlier of their times. */
export function enqueueSample(database: Queryable, entry: GalleryEntry, delayMs = 0): Promise<void> {
  const options = { key: sampleKey(entry), maxAttempts: MAX_ATTEMPTS, delayMs, keepsTime: delayMs > 0 };
  return addJob(database, BAKE_SAMPLE, { id: entry.id, canWait: delayMs > 0 }, options);
}

/** Queues the bakes of all samples that are missing. For the job runner's recovery: at the start, and again for those
 *  with a failed bake. Logs an error of the storage. */
export function createSamplesRecovery(services: AgentServices): () => Promise<void> {
  let missing = services.gallery.entries;
  return async () => {
    try {
      const sizes = await Promise.all(missing.map((entry) => services.storage.sizeOf(sampleKey(entry))));
      missing = missing.filter((_, index) => sizes[index] === null);
    } catch (error) {
      services.logger.warn({ err: error }, "sample avatars could not be looked up");
      return;
    }
    for (const entry of missing) await enqueueSample(services.database, entry, START_DELAY_MS);
  };
}

/** The job kind. */
export function bakeSampleJob(services: AgentServices): JobKind {
  return {
    name: BAKE_SAMPLE,
    concurrency: CONCURRENT_JOBS,
    async run(payload) {
      const { id, canWait = false } = payload as { id: string; canWait?: boolean };
      const entry = services.gallery.entries.find((candidate) => candidate.id === id);
      if (!entry || (await services.storage.sizeOf(sampleKey(entry))) !== null) return;
      // The baker makes one face at a time, and someone waits for that of an agent.
      if (canWait && (await isAnyInCreation(services.database))) {
        return enqueueSample(services.database, entry, YIELD_DELAY_MS);
      }
      const { bytes, points } = await services.gallery.load(id);
      const { imx } = await services.baker.bake({
        bytes,
        points,
        style: entry.style,
        family: SAMPLE_FAMILY,
        aspectRatio: "1:1",
        isTransparent: false,
      });
      await services.storage.put(sampleKey(entry), imx);
    },
  };
}
