// The process that encodes a film with node-av: raw pictures on descriptor 0, raw sound on descriptor 3, options as its one argument.
// It ends with code 0 when the film is complete; the last line of its standard error says why not.
import { createReadStream } from "node:fs";
import type { Encoder, Muxer } from "node-av/api";
import { AAC_BITRATE_BPS, H264_CRF, H264_PRESET, type Mp4ProcessOptions } from "./mp4-writer.ts";
import { loadNodeAv } from "./node-av.ts";
import { readBlocks } from "./read-blocks.ts";

/** Samples in an AAC frame. */
const AUDIO_BLOCK_SAMPLES = 1024;
/** A key frame every two seconds keeps seeking quick. */
const KEY_FRAME_SECONDS = 2;
/** Tells an encoder to give out the pictures that it still holds back. */
const END_OF_STREAM = null;

async function main(options: Mp4ProcessOptions): Promise<void> {
  const { api, constants, lib } = await loadNodeAv();
  const { widthPx, heightPx, frameRateFps, sampleRateHz } = options;
  const pictureBase = { num: 1, den: frameRateFps };
  const soundBase = { num: 1, den: sampleRateHz };

  const pictures = await api.Encoder.create(constants.FF_ENCODER_LIBX264, {
    options: { preset: H264_PRESET, crf: H264_CRF },
    context: {
      gopSize: frameRateFps * KEY_FRAME_SECONDS,
      framerate: new lib.Rational(frameRateFps, 1),
      colorRange: constants.AVCOL_RANGE_MPEG,
      colorSpace: constants.AVCOL_SPC_SMPTE170M,
      colorPrimaries: constants.AVCOL_PRI_SMPTE170M,
      colorTrc: constants.AVCOL_TRC_SMPTE170M,
    },
  });
  const sound = await api.Encoder.create(constants.FF_ENCODER_AAC, { context: { bitRate: AAC_BITRATE_BPS } });
  const muxer = await api.Muxer.open(options.path, { format: "mp4", options: { movflags: "+faststart" } });
  const pictureStream = muxer.addStream(pictures);
  const soundStream = muxer.addStream(sound);

  async function* pictureFrames() {
    let count = 0n;
    for await (const block of readBlocks(process.stdin, (widthPx * heightPx * 3) / 2)) {
      const frame = lib.Frame.fromVideoBuffer(block, {
        width: widthPx,
        height: heightPx,
        format: constants.AV_PIX_FMT_YUV420P,
        timeBase: pictureBase,
        pts: count++,
      });
      yield frame;
      frame.free();
    }
    yield END_OF_STREAM;
  }

  async function* soundFrames() {
    let count = 0n;
    for await (const block of readBlocks(createReadStream("", { fd: 3 }), AUDIO_BLOCK_SAMPLES * 2, {
      keepLast: true,
    })) {
      // The encoder takes whole blocks only; the last one is filled up with silence.
      const samples = new Float32Array(AUDIO_BLOCK_SAMPLES);
      for (let i = 0; i < block.length >> 1; i++) samples[i] = block.readInt16LE(i * 2) / 32_768;
      const frame = lib.Frame.fromAudioBuffer(Buffer.from(samples.buffer), {
        nbSamples: AUDIO_BLOCK_SAMPLES,
        format: constants.AV_SAMPLE_FMT_FLTP,
        sampleRate: sampleRateHz,
        channelLayout: constants.AV_CHANNEL_LAYOUT_MONO,
        timeBase: soundBase,
        pts: count,
      });
      yield frame;
      frame.free();
      count += BigInt(AUDIO_BLOCK_SAMPLES);
    }
    yield END_OF_STREAM;
  }

  // Both at once: the muxer interleaves, and neither input may wait for the other.
  await Promise.all([
    encode(pictures, pictureFrames(), muxer, pictureStream),
    encode(sound, soundFrames(), muxer, soundStream),
  ]);
  await muxer.close();
}

async function encode(
  encoder: Encoder,
  frames: Parameters<Encoder["packets"]>[0],
  muxer: Muxer,
  stream: number,
): Promise<void> {
  for await (const packet of encoder.packets(frames)) {
    await muxer.writePacket(packet, stream);
    packet?.free();
  }
}

try {
  await main(JSON.parse(process.argv[2]));
  process.exit(0);
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
