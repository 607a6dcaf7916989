// A frame of a camera as a JPEG for a language model.
import { VideoBufferType, type VideoFrame, VideoRotation } from "@livekit/rtc-node";
import { EngineError } from "../../../shared/engine-error.ts";

/** Models scale larger images down themselves. */
const LONGER_SIDE_PX = 1_024;
/** Smaller frames show nothing; larger ones come from no camera. */
const LEAST_PX = 16;
const MOST_PX = 8_192;
const QUALITY = 80;

const TURNS: Readonly<Record<VideoRotation, number>> = {
  [VideoRotation.VIDEO_ROTATION_0]: 0,
  [VideoRotation.VIDEO_ROTATION_90]: 90,
  [VideoRotation.VIDEO_ROTATION_180]: 180,
  [VideoRotation.VIDEO_ROTATION_270]: 270,
};

/** Upright, its longer side at most 1,024 px. Throws EngineError invalid-input for a size that no camera has. */
export async function encodeStill(frame: VideoFrame, rotation: VideoRotation): Promise<Uint8Array> {
  const { width, height } = frame;
  if (Math.min(width, height) < LEAST_PX || Math.max(width, height) > MOST_PX) {
    throw new EngineError("invalid-input", `A camera frame of ${width} × ${height} pixels.`);
  }
  const { data } = frame.convert(VideoBufferType.RGB24);
  // Loaded with the first image.
  const { default: sharp } = await import("sharp");
  const jpeg = await sharp(data, { raw: { width, height, channels: 3 } })
    .rotate(TURNS[rotation] ?? 0)
    .resize({ width: LONGER_SIDE_PX, height: LONGER_SIDE_PX, fit: "inside", withoutEnlargement: true })
    .jpeg({ quality: QUALITY })
    .toBuffer();
  return new Uint8Array(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength);
}
