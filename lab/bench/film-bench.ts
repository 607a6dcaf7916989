// Cost of a film: lip sync, rendering and encoding, unpaced.
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FRAME_RATE_FPS, HOP_MS } from "../../shared/units.ts";
import { createEngine } from "../../src/face/engine/create-engine.ts";
import type { Imx } from "../../src/face/imx/imx.ts";
import { loadLipSyncModel } from "../../src/face/lip-sync/lip-sync-model.ts";
import { openAvatar } from "../../src/face/rendering/open-avatar.ts";
import type { InferenceRuntime } from "../../src/signal/inference/inference-runtime.ts";
import { Mp4Writer } from "../../src/signal/media/mp4-writer.ts";
import { readProcessTree } from "./cpu-time.ts";
import { round } from "./round.ts";
import { SENT_SAMPLE_RATE_HZ, speakFor } from "./speech.ts";

const FILM_S = 20;
/** Excludes the encoder's start, which is negligible in a long film. */
const WARM_UP_S = 2;

/** CPU of this process and its encoder, ms per frame; or the reason why no film can be made here. */
export async function benchFilm(runtime: InferenceRuntime, imx: Imx): Promise<number | string> {
  const path = join(tmpdir(), `bench-film-${process.pid}.mp4`);
  const avatar = await openAvatar(imx, runtime);
  const engine = await createEngine({ avatar, runtime, lipSyncModel: await loadLipSyncModel() });
  const size = { widthPx: avatar.widthPx, heightPx: avatar.heightPx, frameRateFps: FRAME_RATE_FPS };
  const speech = await speakFor(FILM_S);
  const writer = Mp4Writer.open(path, { ...size, sampleRateHz: engine.sampleRateHz });
  try {
    const segment = engine.openSegment("film", SENT_SAMPLE_RATE_HZ);
    for (const sentence of speech) segment.push(sentence);
    segment.end();
    const film = async (seconds: number) => {
      for (let tick = 0; tick < (seconds * 1000) / HOP_MS; tick++) {
        const { videoFrame, audio } = await engine.tick();
        await writer.writeFrame(videoFrame);
        await writer.writeAudio(audio);
      }
    };
    await film(WARM_UP_S);
    const before = await treeCpuMs();
    await film(FILM_S - WARM_UP_S);
    const used = (await treeCpuMs()) - before;
    await writer.finish();
    return round(used / (((FILM_S - WARM_UP_S) * 1000) / HOP_MS));
  } catch (error) {
    return `no film can be made here: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    await writer.abort();
    await engine.close();
    await avatar.close();
    await rm(path, { force: true });
  }
}

async function treeCpuMs(): Promise<number> {
  return (await readProcessTree(process.pid)).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}
