// Finds the passages nearest to a question in a thread: 20,000 passages take about 30 ms, during which the api's main
// thread must answer heartbeats. The thread caches the vectors of recently searched builds. Builds never change.
import { Worker } from "node:worker_threads";
import { LRUCache } from "lru-cache";
import { ServiceError } from "../../../shared/errors.ts";
import type { Queryable } from "../../kernel/database/database.ts";
import { listVectors } from "./passage-store.ts";

/** Maximum bytes of cached vectors in one process; a full build of 1,536 dimensions has 31 MB. */
const MAX_BYTES = 64_000_000;
/** Maximum bytes read of one build; further passages are found by their words only. */
const MAX_BUILD_BYTES = 32_000_000;
/** Maximum number of passages that one search compares: three full knowledge bases. */
const MAX_SEARCHED_PASSAGES = 60_000;
/** Maximum number of concurrent searches; more are refused. */
const MAX_SEARCHES = 16;

export interface NearestOptions {
  limit: number;
  /** Minimum cosine, −1 to 1. */
  leastNearness: number;
}

export interface VectorIndex {
  /** Ids of the passages nearest to a question, best first. Throws SERVICE_UNAVAILABLE while too many searches are
   *  running. */
  nearest(buildIds: readonly string[], question: Int8Array, options: NearestOptions): Promise<number[]>;
  /** Ends the thread; searches that are running fail. Idempotent. */
  close(): Promise<void>;
}

interface LoadedBuild {
  passageCount: number;
  sizeBytes: number;
}

interface Near {
  id: number;
  nearness: number;
}

interface Waiting {
  resolve(near: Near[] | null): void;
  reject(error: Error): void;
}

/** An empty index; its thread starts with the first search. */
export function createVectorIndex(database: Queryable, { maxBytes = MAX_BYTES } = {}): VectorIndex {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | null = null;
  let lastSearchId = 0;
  let runningSearches = 0;

  function startThread(): Worker {
    const started = new Worker(new URL("vector-thread.mjs", import.meta.url), { execArgv: [] });
    started.unref();
    started.on("message", ({ searchId, near }: { searchId: number; near: Near[] | null }) => {
      waiting.get(searchId)?.resolve(near);
      waiting.delete(searchId);
    });
    const fail = (error: Error): void => {
      if (thread === started) {
        thread = null;
        builds.clear();
      }
      for (const search of waiting.values()) search.reject(error);
      waiting.clear();
    };
    started.on("error", fail);
    started.on("exit", () => fail(new Error("the thread of the vector index ended")));
    return started;
  }

  function send(message: object, transfer: ArrayBuffer[] = []): void {
    thread ??= startThread();
    thread.postMessage(message, transfer);
  }

  /** Builds that the thread has cached. Concurrent searches that miss the same build load it once. */
  const builds = new LRUCache<string, LoadedBuild>({
    maxSize: maxBytes,
    sizeCalculation: ({ sizeBytes }) => Math.max(1, sizeBytes),
    dispose: (_build, buildId) => thread?.postMessage({ type: "drop", buildId }),
    async fetchMethod(buildId) {
      const { ids, vectors, dimensions } = await listVectors(database, buildId, MAX_BUILD_BYTES);
      const loaded = { passageCount: ids.length, sizeBytes: vectors.byteLength };
      send({ type: "add", buildId, build: { ids, vectors, dimensions } }, [ids.buffer, vectors.buffer]);
      return loaded;
    },
  });

  async function searchBuild(buildId: string, question: Int8Array, options: NearestOptions): Promise<Near[]> {
    // A build may be evicted between its loading and the search; it is then loaded again.
    for (let attempt = 0; attempt < 2; attempt++) {
      await builds.fetch(buildId);
      const searchId = ++lastSearchId;
      const near = await new Promise<Near[] | null>((resolve, reject) => {
        waiting.set(searchId, { resolve, reject });
        send({ type: "search", searchId, buildId, question, ...options });
      });
      // A build larger than the whole index was not cached.
      if (!builds.has(buildId)) thread?.postMessage({ type: "drop", buildId });
      if (near) return near;
      builds.delete(buildId);
    }
    return [];
  }

  return {
    async nearest(buildIds, question, options) {
      if (runningSearches >= MAX_SEARCHES) {
        throw new ServiceError("SERVICE_UNAVAILABLE", "Too many searches are running. Try again in a moment.");
      }
      runningSearches++;
      try {
        const found: Near[] = [];
        let searchedPassages = 0;
        for (const buildId of buildIds) {
          searchedPassages += (await builds.fetch(buildId))?.passageCount ?? 0;
          if (searchedPassages > MAX_SEARCHED_PASSAGES) break;
          found.push(...(await searchBuild(buildId, question, options)));
        }
        found.sort((left, right) => right.nearness - left.nearness || left.id - right.id);
        return found.slice(0, options.limit).map(({ id }) => id);
      } finally {
        runningSearches--;
      }
    },
    async close() {
      const ended = thread;
      thread = null;
      builds.clear();
      await ended?.terminate();
    },
  };
}
