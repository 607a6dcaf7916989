// The engine alone, unpaced, on one thread: CPU time of a frame and of a second of lip sync.

import { openGallery } from "../../api/agents/portraits/gallery.ts";
import type { LipSync } from "../../cli/demo/lip-sync.ts";
import { SpeechMeter } from "../../cli/demo/speech-meter.ts";
import { HOP_MS } from "../../shared/units.ts";
import { createEngine } from "../../src/face/engine/create-engine.ts";
import type { Engine } from "../../src/face/engine/engine.ts";
import { writeImx } from "../../src/face/imx/write-imx.ts";
import { loadLipSyncModel } from "../../src/face/lip-sync/lip-sync-model.ts";
import { openAvatar } from "../../src/face/rendering/open-avatar.ts";
import { bakeImx } from "../../src/face/rig/bake-imx.ts";
import { loadBakeTools } from "../../src/face/rig/node-bake-tools.ts";
import { decodeImage } from "../../src/signal/image/decode-image.ts";
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";
import { SENT_SAMPLE_RATE_HZ, speakFor } from "./speech.ts";

const WARM_UP_TICKS = 25;

/** Length of the second run, which measures lip sync without a room in between. */
const LIP_SYNC_S = 10;

/** Bakes a bundled portrait and plays `speechS` of speech through the engine. Times are per frame (40 ms) unless
 *  named otherwise; CPU time is this process's, all threads. */
export async function benchEngine(speechS: number) {
  const runtime = createNodeRuntime();
  const gallery = await openGallery();
  const { bytes, points } = await gallery.load(gallery.entries[0].id);
  const bakeStartedMs = performance.now();
  const { imx } = await bakeImx(await decodeImage(bytes), { points }, await loadBakeTools(runtime));
  const bundle = await writeImx(imx);
  const bakeMs = performance.now() - bakeStartedMs;
  const avatar = await openAvatar(imx, runtime);
  const engine = await createEngine({ avatar, runtime, lipSyncModel: await loadLipSyncModel() });
  try {
    const segment = engine.openSegment("bench", SENT_SAMPLE_RATE_HZ);
    for (const sentence of await speakFor(speechS)) segment.push(sentence);
    segment.end();
    for (let tick = 0; tick < WARM_UP_TICKS; tick++) await engine.tick();
    const before = { ...engine.stats() };
    const cpuBefore = process.cpuUsage();
    const startedMs = performance.now();
    const ticks = Math.floor((speechS * 1000) / HOP_MS) - WARM_UP_TICKS;
    for (let tick = 0; tick < ticks; tick++) await engine.tick();
    const wallMs = performance.now() - startedMs;
    const cpu = process.cpuUsage(cpuBefore);
    const after = engine.stats();
    const sync = await measureOwnLipSync(engine);
    const round = (value: number) => Math.round(value * 100) / 100;
    return {
      canvas_px: avatar.widthPx,
      frames: ticks,
      frames_per_s: round((ticks * 1000) / wallMs),
      cpu_ms_per_frame: round((cpu.user + cpu.system) / 1000 / ticks),
      core_percent_at_25_fps: round(((cpu.user + cpu.system) / 1000 / ticks / HOP_MS) * 100),
      render_ms: round((after.renderMs - before.renderMs) / ticks),
      lip_sync_ms: round((after.lipSyncMs - before.lipSyncMs) / ticks),
      lip_sync_ms_per_s_of_audio: round(((after.lipSyncMs - before.lipSyncMs) / ticks) * (1000 / HOP_MS)),
      lip_sync_skew_ms: sync.skewMs,
      lip_sync_strength: sync.strength,
      bake_s: round(bakeMs / 1000),
      bundle_mb: round(bundle.length / 1e6),
    };
  } finally {
    await engine.close();
    await avatar.close();
  }
}

/** A/V offset of the engine itself, before any transport. */
async function measureOwnLipSync(engine: Engine): Promise<LipSync> {
  engine.clear();
  const segment = engine.openSegment("lip-sync", SENT_SAMPLE_RATE_HZ);
  for (const sentence of await speakFor(LIP_SYNC_S)) segment.push(sentence);
  segment.end();
  const meter = new SpeechMeter();
  for (let tick = 0; tick < (LIP_SYNC_S * 1000) / HOP_MS; tick++) {
    const { videoFrame, audio } = await engine.tick();
    const atMs = tick * HOP_MS;
    meter.addFrame({ frame: videoFrame, atMs, streamMs: atMs });
    meter.addAudio({ samples: audio, atMs });
  }
  return meter.measureLipSync();
}
