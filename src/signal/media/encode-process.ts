// The process that encodes audio with node-av: raw samples on its standard input, the encoded file on its standard
// output, options as its only argument.
import { writeSync } from "node:fs";
import type { Encoder } from "node-av/api";
import { limitProcess } from "../../../program/child-process/limit-process.ts";
import { toFloatSamples } from "../audio/samples.ts";
import { ENCODINGS, type EncodedFormat, type EncodeProcessOptions, OGG_PAGE_US } from "./encode-audio.ts";
import { loadNodeAv } from "./node-av.ts";
import { readBlocks } from "./read-blocks.ts";

/** Samples in a frame of each encoder. */
const FRAME_SAMPLES: Readonly<Record<EncodedFormat, number>> = { mp3: 1152, opus: 960, aac: 1024, flac: 4608 };
/** These take float samples, the others int16. */
const FLOAT_FORMATS: readonly EncodedFormat[] = ["mp3", "aac"];
const INPUT = 0;
const OUTPUT = 1;
const FULL_PIPE_WAIT_MS = 5;

async function main({ format }: EncodeProcessOptions): Promise<void> {
  const { api, constants, lib } = await loadNodeAv();
  const { sampleRateHz, encoder: name, container, bitRateBps } = ENCODINGS[format];
  const encoders = {
    mp3: constants.FF_ENCODER_LIBMP3LAME,
    opus: constants.FF_ENCODER_LIBOPUS,
    aac: constants.FF_ENCODER_AAC,
    flac: constants.FF_ENCODER_FLAC,
  };
  const encoder = await api.Encoder.create(encoders[format], {
    ...(bitRateBps !== undefined && { context: { bitRate: bitRateBps } }),
  });
  const output = { write: (bytes: Buffer) => writeAll(bytes) };
  const muxer = await api.Muxer.open(output, {
    format: container,
    options: { flush_packets: "1", ...(container === "ogg" && { page_duration: String(OGG_PAGE_US) }) },
  });
  const stream = muxer.addStream(encoder);
  const write = (packets: ReturnType<Encoder["packetsSync"]>) => {
    for (const packet of packets) {
      muxer.writePacketSync(packet, stream);
      packet?.free();
    }
  };
  const isFloat = FLOAT_FORMATS.includes(format);
  const sampleFormat = isFloat ? constants.AV_SAMPLE_FMT_FLTP : constants.AV_SAMPLE_FMT_S16;
  let count = 0n;
  const nbSamples = FRAME_SAMPLES[format];
  for await (const part of readBlocks(INPUT, nbSamples * 2, { keepLast: true })) {
    // The encoders take only whole frames; the last one is padded with silence.
    const block = Buffer.alloc(nbSamples * 2);
    part.copy(block);
    const frame = lib.Frame.fromAudioBuffer(isFloat ? toFloat(block) : block, {
      nbSamples,
      format: sampleFormat,
      sampleRate: sampleRateHz,
      channelLayout: constants.AV_CHANNEL_LAYOUT_MONO,
      timeBase: { num: 1, den: sampleRateHz },
      pts: count,
    });
    write(encoder.packetsSync(frame));
    frame.free();
    count += BigInt(nbSamples);
  }
  if (count === 0n) throw new Error(`no audio for ${name}`);
  write(encoder.packetsSync(null));
  await muxer.close();
}

/** Waits while the reader is behind. */
function writeAll(bytes: Buffer): number {
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(OUTPUT, bytes, written);
    } catch (error) {
      // The pipe does not block, and is full.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_WAIT_MS);
    }
  }
  return bytes.length;
}

function toFloat(block: Buffer): Buffer {
  const samples = toFloatSamples(new Int16Array(block.buffer, block.byteOffset, block.length >> 1));
  return Buffer.from(samples.buffer);
}

const options: EncodeProcessOptions = JSON.parse(process.argv[2]);
limitProcess(options.limits);
try {
  await main(options);
  process.exit(0);
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
