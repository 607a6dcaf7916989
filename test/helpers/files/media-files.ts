// Short recordings in every format that callers may send, encoded from audio of our own.
import { join } from "node:path";
import type { Encoder, Muxer } from "node-av/api";
import type { Frame } from "node-av/lib";
import { loadNodeAv } from "../../../src/signal/media/node-av.ts";

export interface MediaFile {
  /** Its extension. */
  name: string;
  path: string;
}

const RATE_HZ = 48_000;
const FRAME_RATE_FPS = 25;
/** Samples of one video frame. */
const HOP_SAMPLES = RATE_HZ / FRAME_RATE_FPS;
const [WIDTH_PX, HEIGHT_PX] = [64, 48];

interface Format {
  container: string;
  codec: string;
  /** Sample format and frame size that the codec takes. */
  sampleFormat: "flt" | "fltp" | "s16" | "s16p";
  frameSamples: number;
  /** For formats of a film. */
  videoCodec?: string;
}

const AAC = { codec: "aac", sampleFormat: "fltp", frameSamples: 1024 } as const;
const MP3 = { codec: "libmp3lame", sampleFormat: "fltp", frameSamples: 1152 } as const;
const OPUS = { codec: "libopus", sampleFormat: "s16", frameSamples: 960 } as const;
const FLAC = { codec: "flac", sampleFormat: "s16", frameSamples: 4096 } as const;

/** The formats by their extension: the contract's for audio and video, and a compressed WAV file. */
export const MEDIA_FORMATS: Readonly<Record<string, Format>> = {
  wav: { container: "wav", codec: "pcm_s16le", sampleFormat: "s16", frameSamples: 1024 },
  "adpcm.wav": { container: "wav", codec: "adpcm_ima_wav", sampleFormat: "s16p", frameSamples: 2041 },
  mp3: { container: "mp3", ...MP3 },
  flac: { container: "flac", ...FLAC },
  aac: { container: "adts", ...AAC },
  ogg: { container: "ogg", codec: "libvorbis", sampleFormat: "fltp", frameSamples: 64 },
  "opus.ogg": { container: "ogg", ...OPUS },
  m4a: { container: "ipod", ...AAC },
  mp4: { container: "mp4", ...AAC, videoCodec: "libx264" },
  mov: { container: "mov", codec: "alac", sampleFormat: "s16p", frameSamples: 4096, videoCodec: "libx264" },
  avi: { container: "avi", ...MP3, videoCodec: "mpeg4" },
  wmv: { container: "asf", codec: "wmav2", sampleFormat: "fltp", frameSamples: 2048, videoCodec: "mpeg4" },
  flv: { container: "flv", ...AAC, videoCodec: "libx264" },
  webm: { container: "webm", ...OPUS, videoCodec: "libvpx" },
  mkv: { container: "matroska", ...FLAC, videoCodec: "libx264" },
};

/** Writes a file of each format into a folder, in the order of `MEDIA_FORMATS`. */
export async function writeMediaFiles(folder: string, seconds: number): Promise<MediaFile[]> {
  const files: MediaFile[] = [];
  for (const [name, format] of Object.entries(MEDIA_FORMATS)) {
    const path = join(folder, `audio.${name}`);
    await writeMediaFile(path, format, chordOf(seconds));
    files.push({ name, path });
  }
  return files;
}

/** A chord that changes its loudness as speech does, at 48 kHz, within ±1. */
function chordOf(seconds: number): Float32Array {
  return Float32Array.from({ length: seconds * RATE_HZ }, (_, index) => {
    const t = index / RATE_HZ;
    const chord = [220, 277, 1_330].reduce((sum, hz) => sum + Math.sin(2 * Math.PI * hz * t), 0);
    return (chord / 6) * (0.6 + 0.4 * Math.sin(2 * Math.PI * 4 * t));
  });
}

/** `recording`: at 48 kHz, within ±1. */
export async function writeMediaFile(path: string, format: Format, recording: Float32Array): Promise<void> {
  const { api, constants, lib } = await loadNodeAv();
  lib.Log.setLevel(constants.AV_LOG_ERROR);
  const audio = await api.Encoder.create(format.codec as Parameters<typeof api.Encoder.create>[0], {
    context: { bitRate: 64_000 },
  });
  const video = format.videoCodec
    ? await api.Encoder.create(format.videoCodec as Parameters<typeof api.Encoder.create>[0], {
        context: { bitRate: 100_000, gopSize: FRAME_RATE_FPS, framerate: new lib.Rational(FRAME_RATE_FPS, 1) },
      })
    : null;
  const muxer = await api.Muxer.open(path, { format: format.container });
  const videoStream = video ? muxer.addStream(video) : -1;
  const audioStream = muxer.addStream(audio);
  const frameCount = Math.floor(recording.length / HOP_SAMPLES);
  const shape = api.FilterAPI.create(
    `aformat=sample_fmts=${format.sampleFormat},asetnsamples=n=${format.frameSamples}:p=0`,
  );

  async function* audioFrames(): AsyncGenerator<Frame> {
    for (let at = 0; at < recording.length; at += HOP_SAMPLES) {
      const samples = recording.slice(at, at + HOP_SAMPLES);
      yield lib.Frame.fromAudioBuffer(Buffer.from(samples.buffer), {
        nbSamples: samples.length,
        format: constants.AV_SAMPLE_FMT_FLT,
        sampleRate: RATE_HZ,
        channelLayout: constants.AV_CHANNEL_LAYOUT_MONO,
        timeBase: { num: 1, den: RATE_HZ },
        pts: BigInt(at),
      });
    }
  }

  function* videoFrames(): Generator<Frame> {
    for (let index = 0; index < frameCount; index++) {
      yield lib.Frame.fromVideoBuffer(Buffer.alloc((WIDTH_PX * HEIGHT_PX * 3) / 2, index * 3), {
        width: WIDTH_PX,
        height: HEIGHT_PX,
        format: constants.AV_PIX_FMT_YUV420P,
        timeBase: { num: 1, den: FRAME_RATE_FPS },
        pts: BigInt(index),
      });
    }
  }

  if (video) for (const frame of videoFrames()) write(muxer, videoStream, video.packetsSync(frame));
  if (video) write(muxer, videoStream, video.packetsSync(null));
  for await (const frame of shape.frames(audioFrames())) {
    if (frame) write(muxer, audioStream, audio.packetsSync(frame));
  }
  write(muxer, audioStream, audio.packetsSync(null));
  await muxer.close();
}

function write(muxer: Muxer, stream: number, packets: ReturnType<Encoder["packetsSync"]>): void {
  for (const packet of packets) muxer.writePacketSync(packet, stream);
}
