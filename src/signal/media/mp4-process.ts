// The process that encodes a film with node-av: raw frames on descriptor 0, raw audio on descriptor 3, options as its
// only argument. It exits with code 0 when the film is complete; otherwise the last line of standard error gives the
// reason.
import type { Encoder, Muxer } from "node-av/api";
import type { Frame } from "node-av/lib";
import { limitProcess } from "../../../program/child-process/limit-process.ts";
import { AAC_BITRATE_BPS, H264_CRF, H264_PARAMETERS, H264_PRESET, type Mp4ProcessOptions } from "./mp4-writer.ts";
import { loadNodeAv } from "./node-av.ts";
import { readBlocks } from "./read-blocks.ts";

/** Samples in an AAC frame. */
const AUDIO_BLOCK_SAMPLES = 1024;
/** A key frame every two seconds keeps seeking quick. */
const KEY_FRAME_SECONDS = 2;
/** Descriptors that the frames and the audio come in on. */
const VIDEO = 0;
const AUDIO = 3;

async function main(options: Mp4ProcessOptions): Promise<void> {
  const { api, constants, lib } = await loadNodeAv();
  const { widthPx, heightPx, frameRateFps, sampleRateHz } = options;
  const videoTimeBase = { num: 1, den: frameRateFps };
  const audioTimeBase = { num: 1, den: sampleRateHz };

  const video = await api.Encoder.create(constants.FF_ENCODER_LIBX264, {
    options: { preset: H264_PRESET, crf: H264_CRF, "x264-params": H264_PARAMETERS },
    context: {
      gopSize: frameRateFps * KEY_FRAME_SECONDS,
      framerate: new lib.Rational(frameRateFps, 1),
      colorRange: constants.AVCOL_RANGE_MPEG,
      colorSpace: constants.AVCOL_SPC_SMPTE170M,
      colorPrimaries: constants.AVCOL_PRI_SMPTE170M,
      colorTrc: constants.AVCOL_TRC_SMPTE170M,
    },
  });
  const audio = await api.Encoder.create(constants.FF_ENCODER_AAC, { context: { bitRate: AAC_BITRATE_BPS } });
  const muxer = await api.Muxer.open(options.path, { format: "mp4", options: { movflags: "+faststart" } });
  const videoStream = muxer.addStream(video);
  const audioStream = muxer.addStream(audio);

  // This process does nothing else, so it encodes at once: handing each packet to another thread and back cost as much
  // as the audio.
  const encode = (encoder: Encoder, stream: number, frame: Frame) => {
    writePackets(muxer, stream, encoder.packetsSync(frame));
    frame.free();
  };

  async function encodeVideo(): Promise<void> {
    let count = 0n;
    for await (const block of readBlocks(VIDEO, (widthPx * heightPx * 3) / 2)) {
      const frame = lib.Frame.fromVideoBuffer(block, {
        width: widthPx,
        height: heightPx,
        format: constants.AV_PIX_FMT_YUV420P,
        timeBase: videoTimeBase,
        pts: count++,
      });
      encode(video, videoStream, frame);
    }
    writePackets(muxer, videoStream, video.packetsSync(null));
  }

  async function encodeAudio(): Promise<void> {
    let count = 0n;
    // The encoder takes only whole blocks; the last one is padded with silence.
    const samples = new Float32Array(AUDIO_BLOCK_SAMPLES);
    for await (const block of readBlocks(AUDIO, AUDIO_BLOCK_SAMPLES * 2, { keepLast: true })) {
      samples.fill(0);
      for (let i = 0; i < block.length >> 1; i++) samples[i] = block.readInt16LE(i * 2) / 32_768;
      const frame = lib.Frame.fromAudioBuffer(Buffer.from(samples.buffer), {
        nbSamples: AUDIO_BLOCK_SAMPLES,
        format: constants.AV_SAMPLE_FMT_FLTP,
        sampleRate: sampleRateHz,
        channelLayout: constants.AV_CHANNEL_LAYOUT_MONO,
        timeBase: audioTimeBase,
        pts: count,
      });
      encode(audio, audioStream, frame);
      count += BigInt(AUDIO_BLOCK_SAMPLES);
    }
    writePackets(muxer, audioStream, audio.packetsSync(null));
  }

  // Both at once: the muxer interleaves, and neither input may wait for the other.
  await Promise.all([encodeVideo(), encodeAudio()]);
  await muxer.close();
}

/** Writes packets; null marks the end of the stream. */
function writePackets(muxer: Muxer, stream: number, packets: ReturnType<Encoder["packetsSync"]>): void {
  for (const packet of packets) {
    muxer.writePacketSync(packet, stream);
    packet?.free();
  }
}

const options: Mp4ProcessOptions = JSON.parse(process.argv[2]);
limitProcess(options.limits);
try {
  await main(options);
  process.exit(0);
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
