// Keeps the vectors of builds that are being asked, so that each question does not read them again. Builds never change.
import type { Queryable } from "../kernel/database/database.ts";
import { listVectors, type PassageVector } from "./passage-store.ts";

/** Most bytes of vectors kept by one process; those of the build that was not asked for longest are dropped. */
const MAX_BYTES = 32_000_000;

export interface VectorCache {
  /** Vectors of a build's passages; empty where it has none. */
  of(database: Queryable, buildId: string): Promise<readonly PassageVector[]>;
}

/** An empty cache. */
export function createVectorCache(maxBytes = MAX_BYTES): VectorCache {
  const kept = new Map<string, readonly PassageVector[]>();
  let keptBytes = 0;

  function forgetOldest(): void {
    for (const [buildId, vectors] of kept) {
      if (keptBytes <= maxBytes) return;
      kept.delete(buildId);
      keptBytes -= sizeOf(vectors);
    }
  }

  return {
    async of(database, buildId) {
      const found = kept.get(buildId);
      if (found) {
        // Last in the map is what was asked for last.
        kept.delete(buildId);
        kept.set(buildId, found);
        return found;
      }
      const vectors = await listVectors(database, buildId);
      if (!kept.has(buildId)) {
        kept.set(buildId, vectors);
        keptBytes += sizeOf(vectors);
        forgetOldest();
      }
      return vectors;
    },
  };
}

function sizeOf(vectors: readonly PassageVector[]): number {
  return vectors.reduce((sum, { vector }) => sum + vector.length, 0);
}
