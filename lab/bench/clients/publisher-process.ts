// Helper process: publishes prepared frames and audio as the service does, with the same SDK and options, and does
// nothing else. What it costs is the least that an avatar session can cost.
import "../../../cli/terminal/quiet-rtc.ts";
import { readFile } from "node:fs/promises";
import { Room } from "@livekit/rtc-node";
import { publishAvatarTracks } from "../../../room/playout/publish-avatar-tracks.ts";
import { HOP_MS, PLAYOUT_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import type { PublisherCommands } from "./client-messages.ts";
import { readSamples } from "./read-samples.ts";
import { runClient } from "./run-client.ts";

const BLOCK_SAMPLES = (PLAYOUT_SAMPLE_RATE_HZ * HOP_MS) / 1000;
/** Audio that is queued ahead, as in the service, ms. */
const RESERVE_MS = 20;

const commands: PublisherCommands = {
  async publish({ url, token, framesFile, sizePx, audioFile, codec, maxBitrateKbps }) {
    const frames = splitFrames(await readFile(framesFile), sizePx);
    const audio = readSamples(await readFile(audioFile));
    const room = new Room();
    await room.connect(url, token, { autoSubscribe: false, dynacast: false });
    const size = { widthPx: sizePx, heightPx: sizePx };
    const tracks = await publishAvatarTracks({
      room,
      ...size,
      codec,
      maxBitrateKbps,
      sampleRateHz: PLAYOUT_SAMPLE_RATE_HZ,
    });
    const startMs = performance.now();
    const blocks = Math.floor(audio.length / BLOCK_SAMPLES);
    // A source that is full refuses audio: on a machine that is too slow for this, too.
    const queue = (samples: Int16Array): void => void tracks.queueAudio(samples).catch(() => {});
    queue(new Int16Array((PLAYOUT_SAMPLE_RATE_HZ * RESERVE_MS) / 1000));
    let tick = 0;
    const step = (): void => {
      // Frames that are too late are left out, as in the service.
      tick = Math.max(tick, Math.floor((performance.now() - startMs) / HOP_MS));
      const from = (tick % blocks) * BLOCK_SAMPLES;
      queue(audio.subarray(from, from + BLOCK_SAMPLES));
      const dueMs = startMs + tick * HOP_MS;
      tracks.showFrame({ data: frames[frameAt(tick, frames.length)], ...size }, BigInt(Math.round(dueMs * 1000)));
      tick += 1;
      setTimeout(step, Math.max(0, startMs + tick * HOP_MS - performance.now()));
    };
    step();
  },
};

/** Each frame in a buffer of its own: the native side reads from the start of the underlying buffer. */
function splitFrames(bytes: Buffer, sizePx: number): Uint8Array[] {
  const frameBytes = (sizePx * sizePx * 3) / 2;
  return Array.from(
    { length: Math.floor(bytes.length / frameBytes) },
    (_, index) => new Uint8Array(bytes.subarray(index * frameBytes, (index + 1) * frameBytes)),
  );
}

/** Forwards, then backwards, so that no frame differs from the one before by more than a movement. */
function frameAt(tick: number, count: number): number {
  const at = tick % (2 * count - 2);
  return at < count ? at : 2 * count - 2 - at;
}

runClient({ ...commands });
