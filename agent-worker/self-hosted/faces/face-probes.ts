// Test frames and benchmarks of a self-hosted worker.
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import type { NvidiaCard } from "../../../src/signal/inference/nvidia-smi.ts";
import type { AccountService } from "../account-service.ts";
import type { BundleStore } from "./bundle-store.ts";
import type { FaceWorkshop } from "./face-workshop.ts";

/** One second of speech. */
const FRAMES_PER_ITERATION = 25;
const DEFAULT_ITERATIONS = 10;
const MAX_ITERATIONS = 100;

const iterationsSchema = z.coerce.number().int().min(1).max(MAX_ITERATIONS);

export interface FaceProbesOptions {
  workshop: Pick<FaceWorkshop, "renderFrame" | "measure">;
  bundles: BundleStore;
  service: Pick<AccountService, "findModel" | "download">;
  /** The worker's own secret, which fetches named avatars. */
  secret: string | undefined;
  defaultFace(): Promise<Uint8Array>;
  /** What sessions render with. */
  provider: "cpu" | "cuda";
  /** The card of `cuda`; undefined if the driver does not tell. */
  readCard(): Promise<Pick<NvidiaCard, "name" | "memoryBytes" | "freeMemoryBytes"> | undefined>;
}

export interface BenchmarkReport {
  iterations: number;
  frames_per_generate: number;
  /** Mean time of an iteration, ms. */
  avg_ms: number;
  /** Frames per second of one session without a room, beside what the machine does now. */
  fps: number;
  /** Memory in use on the GPU right after the run, by all programs, GB; 0 on a processor, or if the driver does not
   *  tell. */
  vram_gb: number;
  /** Name of the GPU; null on a processor. */
  gpu: string | null;
}

export class FaceProbes {
  readonly #options: FaceProbesOptions;

  constructor(options: FaceProbesOptions) {
    this.#options = options;
  }

  /** Runs the engine at the lowest priority. Throws VALIDATION_ERROR for a count outside 1 to 100. */
  async benchmark(asked: string | null): Promise<BenchmarkReport> {
    const { workshop, defaultFace, provider, readCard } = this.#options;
    const parsed = iterationsSchema.safeParse(asked ?? DEFAULT_ITERATIONS);
    if (!parsed.success) {
      throw new ServiceError("VALIDATION_ERROR", `iterations must be a whole number from 1 to ${MAX_ITERATIONS}`);
    }
    const input = { imx: await defaultFace(), iterations: parsed.data, framesPerIteration: FRAMES_PER_ITERATION };
    const meanMs = await workshop.measure({ ...input, provider });
    const card = provider === "cuda" ? await readCard() : undefined;
    const usedBytes = card ? card.memoryBytes - card.freeMemoryBytes : 0;
    return {
      iterations: parsed.data,
      frames_per_generate: FRAMES_PER_ITERATION,
      avg_ms: Math.round(meanMs * 100) / 100,
      fps: Math.round((FRAMES_PER_ITERATION / meanMs) * 10_000) / 10,
      vram_gb: Math.round(usedBytes / 1e7) / 100,
      gpu: provider === "cuda" ? (card?.name ?? provider) : null,
    };
  }

  /** The default face or that of an agent of the worker's own account, at rest, as JPEG. */
  async testFrame(agentCode: string | null): Promise<Uint8Array> {
    const { workshop, defaultFace } = this.#options;
    return workshop.renderFrame(agentCode === null ? await defaultFace() : await this.#faceOf(agentCode));
  }

  async #faceOf(agentCode: string): Promise<Uint8Array> {
    const { service, bundles, secret } = this.#options;
    if (secret === undefined) {
      throw new ServiceError("MISSING_AUTH", "A test frame of an agent needs AVATAR_API_SECRET on this worker");
    }
    const { url, sha256 } = await service.findModel(secret, agentCode);
    const download = () => service.download(url);
    return sha256 ? bundles.get(sha256, download) : download();
  }
}
