// The sample faces of the pages: six portraits of the gallery, each with a line that it says.
import { ServiceError } from "../../shared/errors.ts";
import { RIG_GENERATOR_VERSION } from "../../src/face/rig/bake-portrait.ts";
import type { AgentServices } from "../agents/agent-services.ts";
import type { GalleryEntry } from "../agents/portraits/gallery.ts";
import { enqueueSample, sampleKey } from "./sample-avatars.ts";

/** What each says, by gallery id, in the order of the pages. */
const LINES: Readonly<Record<string, string>> = Object.freeze({
  "la-velata": "Hello. I was painted five hundred years ago, and today I talk. Try it with a picture of yours.",
  maya: "Hi, I'm Maya. My face is drawn right here in your browser, from one picture.",
  "lady-agnew": "Good afternoon. I sat six times for this portrait. Yours takes a few seconds.",
  kenji: "Hey, I'm Kenji. Put me on your page, or let me speak for your own agent.",
  "mona-lisa": "They say that I smile. Now I talk as well, and one picture was enough.",
  rusty: "Hi there, I'm Rusty. Drawings can talk as well. Foxes too, as you can hear.",
});

/** A bake takes three seconds; another one may come first. */
const BAKE_TIMEOUT_MS = 25_000;
const POLL_MS = 250;
const RETRY_AFTER_SECONDS = 5;

export interface SampleFace {
  entry: GalleryEntry;
  line: string;
}

export interface SampleFaces {
  /** In the order of the pages; the first one opens the start page. */
  readonly all: readonly SampleFace[];
  /** Throws NOT_FOUND. */
  find(slug: string): SampleFace;
  /** Queues the bake of a face unless it is stored or queued. Returns whether it is stored. */
  order(face: SampleFace): Promise<boolean>;
  /** Resolves when the `.imx` is stored, and makes it first. Throws SERVICE_UNAVAILABLE if that takes too long. */
  whenBaked(face: SampleFace): Promise<void>;
}

/** Changes whenever a file of a sample may: pages keep the files for good. */
export const SAMPLE_VERSION = RIG_GENERATOR_VERSION;

/** `timeoutMs`: longest wait for a bake. */
export function createSampleFaces(
  { gallery, storage, database }: Pick<AgentServices, "gallery" | "storage" | "database">,
  { timeoutMs = BAKE_TIMEOUT_MS } = {},
): SampleFaces {
  /** One for each face, however many requests wait. */
  const waiting = new Map<string, Promise<void>>();
  const all = Object.entries(LINES).flatMap(([id, line]) => {
    const entry = gallery.entries.find((candidate) => candidate.id === id);
    return entry ? [{ entry, line }] : [];
  });

  async function order({ entry }: SampleFace): Promise<boolean> {
    if ((await storage.sizeOf(sampleKey(entry))) !== null) return true;
    await enqueueSample(database, entry);
    return false;
  }

  async function bake(face: SampleFace): Promise<void> {
    const deadlineMs = performance.now() + timeoutMs;
    if (await order(face)) return;
    while (performance.now() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      if ((await storage.sizeOf(sampleKey(face.entry))) !== null) return;
    }
    throw new ServiceError("SERVICE_UNAVAILABLE", "This face is still being made. Try again in a moment.", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  return {
    all,
    order,
    find(slug) {
      const found = all.find(({ entry }) => entry.id === slug);
      if (found) return found;
      throw new ServiceError("NOT_FOUND", "There is no such sample");
    },
    async whenBaked(face) {
      const { id } = face.entry;
      const baking = waiting.get(id) ?? bake(face);
      waiting.set(id, baking);
      try {
        await baking;
      } finally {
        waiting.delete(id);
      }
    },
  };
}
