// Sample avatars: every portrait of the bundled gallery as a model file for the public. Baked once, at the first download.
import type { ModelFamily } from "../../shared/models.ts";
import { RIG_GENERATOR_VERSION } from "../../src/rig/bake-portrait.ts";
import { SAMPLE_PREFIX } from "../agents/agent-code.ts";
import type { AgentServices } from "../agents/agent-services.ts";
import { artifactFilename } from "../agents/models/model-download.ts";
import type { GalleryEntry } from "../agents/portraits/gallery.ts";
import { addJob } from "../kernel/jobs/add-job.ts";
import type { JobKind } from "../kernel/jobs/job-runner.ts";

/** At a time, in one process. */
const CONCURRENT_JOBS = 1;
/** The gallery is drawn, so this is the family for it. */
export const SAMPLE_FAMILY: ModelFamily = "expression-2";
const BAKE_SAMPLE = "bake-sample";
const MAX_ATTEMPTS = 3;

/** The code under which a sample is downloaded. */
export function sampleCode({ id }: GalleryEntry): string {
  return `${SAMPLE_PREFIX}${id}`;
}

/** Object of a sample's file. The generator's version is part of it: a newer one bakes anew. */
export function sampleKey({ id }: GalleryEntry): string {
  return `samples/${id}-${RIG_GENERATOR_VERSION}.imx`;
}

/** Name under which a sample's file is saved. */
export function sampleFilename(entry: GalleryEntry): string {
  return artifactFilename(sampleCode(entry), SAMPLE_FAMILY);
}

/** Queues the baking of a sample; once, however often it is called. */
export function enqueueSample({ database }: Pick<AgentServices, "database">, entry: GalleryEntry): Promise<void> {
  const key = sampleKey(entry);
  return addJob(database, BAKE_SAMPLE, { id: entry.id }, { key, maxAttempts: MAX_ATTEMPTS, keepsTime: true });
}

/** The job kind. */
export function bakeSampleJob(services: AgentServices): JobKind {
  return {
    name: BAKE_SAMPLE,
    concurrency: CONCURRENT_JOBS,
    async run(payload) {
      const { id } = payload as { id: string };
      const entry = services.gallery.entries.find((candidate) => candidate.id === id);
      if (!entry || (await services.storage.sizeOf(sampleKey(entry))) !== null) return;
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
