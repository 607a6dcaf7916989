// The moving picture at the top of the README: a face that speaks, as an animated WebP, which is silent.
import { writeFile } from "node:fs/promises";
import sharp from "sharp";
import { openGallery } from "../../api/agents/portraits/gallery.ts";
import { FRAME_RATE_FPS } from "../../shared/units.ts";
import { createEngine } from "../../src/face/engine/create-engine.ts";
import { speakText } from "../../src/face/film/film-speech.ts";
import { filmTicks } from "../../src/face/film/film-ticks.ts";
import { GENERATED_XMP } from "../../src/face/film/generated-mark.ts";
import { loadLipSyncModel } from "../../src/face/lip-sync/lip-sync-model.ts";
import { openAvatar } from "../../src/face/rendering/open-avatar.ts";
import { bakeImx } from "../../src/face/rig/bake-imx.ts";
import { loadBakeTools } from "../../src/face/rig/node-bake-tools.ts";
import { joinSamples } from "../../src/signal/audio/join-samples.ts";
import { decodeImage } from "../../src/signal/image/decode-image.ts";
import { i420ToRgb } from "../../src/signal/image/i420-frame.ts";
import type { PixelBox } from "../../src/signal/image/raster.ts";
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";
import type { Voice } from "../../src/speech/voice/voice.ts";

export interface TalkingPictureOptions {
  /** File to write. */
  path: string;
  voice: Voice;
  /** Portrait of the gallery, which has a voice of its own. */
  galleryId: string;
  text: string;
  /** Width and height of the picture, px. */
  sidePx: number;
  signal: AbortSignal;
}

/** Of WebP, 0..100. The lower it is, the more the encoder keeps of the frame before: at 62 hair leaves traces where the
 *  head was. */
const QUALITY = 90;
/** Silence after the last word, before it begins again. */
const REST_S = 1;
/** Side of the picture, in heights of the face. */
const CROP_FACES = 1.75;
/** Slowest encoding, smallest file. */
const EFFORT = 6;

/** Writes the picture. Returns its frames and bytes. Throws the errors of the voice, and the signal's reason. */
export async function writeTalkingPicture(options: TalkingPictureOptions): Promise<{ frames: number; bytes: number }> {
  const { path, voice, galleryId, text, sidePx, signal } = options;
  const gallery = await openGallery();
  const entry = gallery.entries.find(({ id }) => id === galleryId);
  if (!entry) throw new RangeError(`the gallery has no ${galleryId}`);
  const { bytes, points } = await gallery.load(galleryId);
  const runtime = createNodeRuntime();
  const marks = { points, style: entry.style };
  const { imx } = await bakeImx(await decodeImage(bytes), marks, await loadBakeTools(runtime));
  const avatar = await openAvatar(imx, runtime);
  const crop = cropAround(imx.manifest.face!, imx.manifest.canvas);
  const engine = await createEngine({ avatar, runtime, lipSyncModel: await loadLipSyncModel() });
  try {
    const speech = await speakText(voice, text, { voiceId: entry.voice }, { signal });
    const { samples, sampleRateHz } = speech.audio;
    const audio = { samples: joinSamples([samples, new Int16Array(REST_S * sampleRateHz)]), sampleRateHz };
    const frames: Buffer[] = [];
    for await (const { videoFrame } of filmTicks(engine, { ...speech, audio })) {
      signal.throwIfAborted();
      const { data, widthPx: width, heightPx: height } = i420ToRgb(videoFrame);
      frames.push(
        await sharp(data, { raw: { width, height, channels: 3 } })
          .extract(crop)
          .resize(sidePx)
          .png()
          .toBuffer(),
      );
    }
    const picture = await sharp(frames, { join: { animated: true } })
      .webp({ quality: QUALITY, effort: EFFORT, delay: frames.map(() => 1000 / FRAME_RATE_FPS), loop: 0 })
      .withXmp(GENERATED_XMP)
      .toBuffer();
    await writeFile(path, picture);
    return { frames: frames.length, bytes: picture.length };
  } finally {
    await engine.close();
    await avatar.close();
  }
}

/** A square with head and shoulders. */
function cropAround(face: PixelBox, canvas: { widthPx: number; heightPx: number }) {
  const side = Math.min(canvas.widthPx, canvas.heightPx, Math.round(CROP_FACES * face.heightPx));
  const within = (middle: number, limit: number) => Math.round(Math.min(limit - side, Math.max(0, middle - side / 2)));
  return {
    left: within(face.x + face.widthPx / 2, canvas.widthPx),
    top: within(face.y + face.heightPx / 2, canvas.heightPx),
    width: side,
    height: side,
  };
}
