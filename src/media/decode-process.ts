// The process that decodes the sound of a file with node-av and writes it as a mono WAV to its standard output.
import { once } from "node:events";
import { resolve } from "node:path";
import { toInt16Samples } from "../audio/samples.ts";
import { writeWav } from "../audio/wav.ts";
import { AUDIO_FORMATS } from "./decode-audio.ts";
import { loadNodeAv } from "./node-av.ts";

async function main(options: { path: string }): Promise<void> {
  const { api, constants } = await loadNodeAv();
  // An absolute path can only be a file: a name like "http://…" must not become an address.
  const demuxer = await api.Demuxer.open(resolve(options.path), {
    options: { protocol_whitelist: "file", format_whitelist: AUDIO_FORMATS },
  });
  const stream = demuxer.audio();
  if (!stream) throw new Error("the file has no audio stream");
  const decoder = await api.Decoder.create(stream);
  // One format for every codec: mono float at the file's own rate.
  const mono = api.FilterAPI.create("aformat=sample_fmts=flt:channel_layouts=mono");
  const pieces: Int16Array[] = [];
  let sampleRateHz = 0;
  for await (const frame of mono.frames(decoder.frames(demuxer.packets(stream.index)))) {
    if (!frame) continue;
    if (frame.format !== constants.AV_SAMPLE_FMT_FLT) throw new Error("the sound came in an unexpected form");
    sampleRateHz = frame.sampleRate;
    const bytes = frame.toBuffer();
    const samples = new Float32Array(frame.nbSamples);
    new Uint8Array(samples.buffer).set(bytes.subarray(0, frame.nbSamples * 4));
    pieces.push(toInt16Samples(samples));
    frame.free();
  }
  if (sampleRateHz === 0) throw new Error("the file has no sound");
  const samples = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    samples.set(piece, offset);
    offset += piece.length;
  }
  if (!process.stdout.write(writeWav({ samples, sampleRateHz }))) await once(process.stdout, "drain");
}

try {
  await main(JSON.parse(process.argv[2]));
  process.exit(0);
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
