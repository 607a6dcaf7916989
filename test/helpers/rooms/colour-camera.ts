// A camera that shows one colour, and what an image of it shows.
import { LocalVideoTrack, VideoBufferType, VideoFrame, VideoSource } from "@livekit/rtc-node";
import sharp from "sharp";

/** Red, green and blue, 0 to 255. */
export type Colour = readonly [number, number, number];
export const RED: Colour = [200, 30, 30];
export const BLUE: Colour = [30, 30, 200];

/** Ten frames a second, from its making until it is closed. */
export class ColourCamera {
  readonly track: LocalVideoTrack;
  readonly #source: VideoSource;
  readonly #timer: NodeJS.Timeout;

  constructor([red, green, blue]: Colour, widthPx = 640, heightPx = 360) {
    this.#source = new VideoSource(widthPx, heightPx);
    this.track = LocalVideoTrack.createVideoTrack("camera", this.#source);
    const data = new Uint8Array(widthPx * heightPx * 4);
    for (let at = 0; at < data.length; at += 4) data.set([red, green, blue, 255], at);
    const frame = new VideoFrame(data, widthPx, heightPx, VideoBufferType.RGBA);
    this.#timer = setInterval(() => this.#source.captureFrame(frame), 100);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.track.close();
  }
}

/** Which of red and blue a JPEG shows, and its size: `red 640x360`. */
export async function describeImage(jpeg: Uint8Array | undefined): Promise<string | undefined> {
  if (!jpeg) return undefined;
  const { channels } = await sharp(jpeg).stats();
  const { width, height } = await sharp(jpeg).metadata();
  return `${channels[0].mean > channels[2].mean ? "red" : "blue"} ${width}x${height}`;
}
