// The process that decodes the audio of a file with node-av and streams it as mono WAV to its standard output.
import { once } from "node:events";
import { resolve } from "node:path";
import { limitProcess } from "../../../program/child-process/limit-process.ts";
import { toInt16Samples } from "../audio/samples.ts";
import { wavHeader } from "../audio/wav.ts";
import type { DecodeProcessOptions } from "./decode-audio.ts";
import { loadNodeAv } from "./node-av.ts";

async function main({ path, formats, maxSeconds, rateHz }: DecodeProcessOptions): Promise<void> {
  const { api, constants } = await loadNodeAv();
  // An absolute path can only be a file: a name like "http://…" must not become an address.
  const demuxer = await api.Demuxer.open(resolve(path), {
    options: { protocol_whitelist: "file", format_whitelist: formats },
  });
  const stream = demuxer.audio();
  if (!stream) throw new Error("the file has no audio stream");
  // A damaged frame in the middle is a gap, as in every player.
  const decoder = await api.Decoder.create(stream, { exitOnError: false });
  // One format for every codec: mono float.
  const rate = rateHz === undefined ? "" : `:sample_rates=${rateHz}`;
  const mono = api.FilterAPI.create(`aformat=sample_fmts=flt:channel_layouts=mono${rate}`);
  let sampleRateHz = 0;
  let count = 0;
  for await (const frame of mono.frames(decoder.frames(demuxer.packets(stream.index)))) {
    if (!frame) continue;
    if (frame.format !== constants.AV_SAMPLE_FMT_FLT) throw new Error("the audio has an unexpected format");
    if (sampleRateHz === 0) {
      sampleRateHz = frame.sampleRate;
      await write(wavHeader({ sampleRateHz, sampleCount: null }));
    }
    if (frame.sampleRate !== sampleRateHz) throw new Error("the audio changes its sample rate");
    const bytes = frame.toBuffer();
    const samples = new Float32Array(frame.nbSamples);
    new Uint8Array(samples.buffer).set(bytes.subarray(0, frame.nbSamples * 4));
    frame.free();
    const pcm = toInt16Samples(samples);
    await write(new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength));
    count += samples.length;
    // The parent truncates at the exact sample.
    if (count >= maxSeconds * sampleRateHz) break;
  }
  if (sampleRateHz === 0) throw new Error("the file has no audio");
}

/** Writes to standard output; waits while the reader is behind. */
async function write(bytes: Uint8Array): Promise<void> {
  if (!process.stdout.write(bytes)) await once(process.stdout, "drain");
}

// When the parent ends, its ends of the pipes close, and this process ends too.
process.stdin.on("end", () => process.exit(1)).resume();
process.stdout.on("error", () => process.exit(1));
const options: DecodeProcessOptions = JSON.parse(process.argv[2]);
limitProcess(options.limits);
try {
  await main(options);
  // Exit only after everything is written to the pipe.
  process.stdout.end(() => process.exit(0));
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
