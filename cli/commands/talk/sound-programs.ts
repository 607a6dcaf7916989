// Programs that record from the microphone and play sound, of those that a computer usually has: this program needs no
// sound library of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { CliError } from "../../terminal/cli-error.ts";

const RATE = String(SPEECH_SAMPLE_RATE_HZ);
const RAW = ["-q", "-t", "raw", "-b", "16", "-e", "signed", "-c", "1", "-r", RATE];
const ALSA = ["-q", "-t", "raw", "-f", "S16_LE", "-c", "1", "-r", RATE];
const FFMPEG_RAW = ["-f", "s16le", "-ac", "1", "-ar", RATE];
const FFMPEG_INPUT: Partial<Record<NodeJS.Platform, string[]>> = {
  linux: ["-f", "pulse", "-i", "default"],
  darwin: ["-f", "avfoundation", "-i", ":default"],
};
const BYTES_PER_SAMPLE = 2;
/** A delay of speech that is no longer a conversation: older samples are dropped. */
const MOST_BUFFERED_SAMPLES = SPEECH_SAMPLE_RATE_HZ / 2;

/** How long a program without a sound card runs before it gives up, ms. */
const STARTED_AFTER_MS = 400;

/** Runs until `close`. */
export interface Microphone {
  /** The next samples, as many as asked; undefined while there are less. */
  take(count: number): Int16Array | undefined;
  close(): void;
}

export interface Speaker {
  play(samples: Int16Array): void;
  close(): void;
}

/** Throws CliError(unavailable) if no program records. */
export async function openMicrophone(): Promise<Microphone> {
  const input = FFMPEG_INPUT[process.platform];
  const child = await startFirst([
    ["arecord", ALSA],
    ["rec", [...RAW, "-"]],
    ...(input ? [["ffmpeg", ["-v", "quiet", ...input, ...FFMPEG_RAW, "-"]] as const] : []),
  ]);
  if (child === undefined) {
    throw new CliError("unavailable", "No program of this computer records from the microphone.", {
      hint: "Install arecord (alsa-utils), sox or FFmpeg. --audio plays a recording instead.",
    });
  }
  let kept = Buffer.alloc(0);
  child.stdout?.on("data", (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]).subarray(-MOST_BUFFERED_SAMPLES * BYTES_PER_SAMPLE);
  });
  return {
    take(count) {
      const bytes = count * BYTES_PER_SAMPLE;
      if (kept.length < bytes) return undefined;
      const samples = Int16Array.from({ length: count }, (_, k) => kept.readInt16LE(k * BYTES_PER_SAMPLE));
      kept = kept.subarray(bytes);
      return samples;
    },
    close: () => child.kill(),
  };
}

/** Undefined if no program plays. */
export async function openSpeaker(): Promise<Speaker | undefined> {
  const child = await startFirst([
    ["aplay", ALSA],
    ["play", [...RAW, "-"]],
    ["ffplay", ["-v", "quiet", "-nodisp", "-fflags", "nobuffer", "-f", "s16le", "-ar", RATE, "-i", "-"]],
  ]);
  if (child === undefined) return undefined;
  const { stdin } = child;
  return {
    play({ buffer, byteOffset, byteLength }) {
      // A player that does not keep up loses sound, and not the conversation.
      if (stdin?.writable && stdin.writableLength < MOST_BUFFERED_SAMPLES * BYTES_PER_SAMPLE) {
        stdin.write(Buffer.from(buffer, byteOffset, byteLength));
      }
    },
    close: () => child.kill(),
  };
}

/** The first of the programs that starts and still runs a moment later; one without a sound card ends at once. */
async function startFirst(
  programs: readonly (readonly [string, readonly string[]])[],
): Promise<ChildProcess | undefined> {
  for (const [program, words] of programs) {
    const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"] });
    child.stdin?.on("error", () => undefined);
    const ended = Promise.race([once(child, "error"), once(child, "exit")]).then(
      () => true,
      () => true,
    );
    const isThere = new Promise<false>((resolve) => setTimeout(resolve, STARTED_AFTER_MS, false));
    if (!(await Promise.race([ended, isThere]))) return child;
  }
  return undefined;
}
