// Broken recordings through the decoder: each must be decoded or refused within the limits, and leave nothing behind.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isEngineError } from "../../../shared/engine-error.ts";
import { decodeAudio } from "../../../src/signal/media/decode-audio.ts";
import { MEDIA_FORMATS, writeMediaFiles } from "../../../test/helpers/files/media-files.ts";
import { childPids } from "../../../test/helpers/processes/child-pids.ts";
import { createSeededRandom } from "../seeded-random.ts";
import { DAMAGES, damageFile } from "./damage-file.ts";

/** Codes that a broken file may get. Time is one of the limits. */
const REFUSALS: readonly string[] = ["invalid-input", "too-large", "unavailable"];
const ORIGINAL_SECONDS = 1;
/** Limits of the decoder. */
const MAX_SECONDS = 20;
const TIMEOUT_MS = 60_000;
/** Files at a time. */
const LANES = 2;
const REPORT_EVERY = 100;

export interface MediaSoakOptions {
  files: number;
  seed: number;
  /** Decodes with this FFmpeg executable. Default: with node-av. */
  ffmpegPath?: string;
  report(line: string): void;
}

export interface MediaSoakResult {
  files: number;
  /** Number of files by how they ended: `decoded`, or the code of their refusal. */
  outcomes: Record<string, number>;
  /** Decoders that were killed because they exceeded a limit, by what they reported. */
  contained: Record<string, number>;
  /** Longest time for one file, ms. */
  slowestMs: number;
  /** Most memory of this process, bytes. */
  peakBytes: number;
  violations: string[];
}

/** Decodes so many broken files, the same ones for the same seed. */
export async function soakMedia({ files, seed, ffmpegPath, report }: MediaSoakOptions): Promise<MediaSoakResult> {
  const random = createSeededRandom(seed);
  const names = Object.keys(MEDIA_FORMATS);
  const counts = { outcomes: {}, contained: {}, violations: [] };
  const result: MediaSoakResult = { files, ...counts, slowestMs: 0, peakBytes: 0 };
  const folder = await mkdtemp(join(tmpdir(), "media-soak-"));
  try {
    const originals = await writeMediaFiles(folder, ORIGINAL_SECONDS);
    const whole = await Promise.all(originals.map(({ path }) => readFile(path)));
    let next = 0;
    const lane = async () => {
      while (next < files) {
        const index = next++;
        const damage = random.pick(DAMAGES);
        const bytes = damageFile(damage, whole, random);
        const title = `file ${index} (${damage})`;
        await decodeOne(join(folder, String(index)), random.pick(names), bytes, title);
        result.peakBytes = Math.max(result.peakBytes, process.memoryUsage.rss());
        if (next % REPORT_EVERY === 0) report(`${next} files`);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    const left = childPids(ffmpegPath ?? "decode-process");
    if (left.length > 0) result.violations.push(`${left.length} decoders still run`);
    return result;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }

  async function decodeOne(place: string, extension: string, bytes: Uint8Array, title: string): Promise<void> {
    await mkdir(place);
    const name = `sound.${extension}`;
    await writeFile(join(place, name), bytes);
    const startedMs = performance.now();
    const outcome = await decodeAudio(join(place, name), { maxSeconds: MAX_SECONDS, timeoutMs: TIMEOUT_MS, ffmpegPath })
      .then(({ samples, sampleRateHz }) => {
        if (samples.length > MAX_SECONDS * sampleRateHz) result.violations.push(`${title}: more than was allowed`);
        return "decoded";
      })
      .catch((error: unknown) => refusalOf(error, title));
    result.outcomes[outcome] = (result.outcomes[outcome] ?? 0) + 1;
    result.slowestMs = Math.max(result.slowestMs, Math.round(performance.now() - startedMs));
    if ((await readdir(place)).length !== 1) result.violations.push(`${title}: files were left`);
    await rm(place, { recursive: true });
  }

  function refusalOf(error: unknown, title: string): string {
    if (!isEngineError(error) || !REFUSALS.includes(error.code)) {
      result.violations.push(`${title}: ${error instanceof Error ? error.stack : String(error)}`);
      return "other";
    }
    const cause = error.cause instanceof Error ? error.cause.message : "";
    const exceeded = /it (used|took|wrote) .*|SIG[A-Z]+/.exec(cause)?.[0];
    if (exceeded) result.contained[exceeded] = (result.contained[exceeded] ?? 0) + 1;
    return error.code;
  }
}
