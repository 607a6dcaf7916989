// Writes what the service's own recogniser finds in the folders of say-words.ts, for check_words.py --recognised;
// prints CPU time and memory.
//
//   npx tsx lab/independent/recognise-words.ts FOLDER...     00.wav … → recognised.txt
//
// The language of a folder named …-xx is the expected one; of others English.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { SPEECH_SAMPLE_RATE_HZ } from "../../shared/units.ts";
import { Resampler } from "../../src/signal/audio/resampler.ts";
import { readWav } from "../../src/signal/audio/wav.ts";
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";
import { Recogniser } from "../../src/speech/recognition/recogniser.ts";

const recogniser = await Recogniser.load(createNodeRuntime());
for (const folder of process.argv.slice(2)) {
  const language = /-([a-z]{2})\/?$/.exec(folder)?.[1] ?? "en";
  const recognised: string[] = [];
  const cpuMs: number[] = [];
  let seconds = 0;
  for (const file of (await readdir(folder)).filter((name) => name.endsWith(".wav")).sort()) {
    const samples = await samplesOf(join(folder, file));
    const began = process.cpuUsage();
    const { text } = await recogniser.recognise(samples, { language });
    const { user, system } = process.cpuUsage(began);
    recognised.push(text);
    cpuMs.push((user + system) / 1000);
    seconds += samples.length / SPEECH_SAMPLE_RATE_HZ;
  }
  await writeFile(join(folder, "recognised.txt"), recognised.map((text) => `${text}\n`).join(""));
  const sorted = cpuMs.toSorted((left, right) => left - right);
  const total = cpuMs.reduce((sum, ms) => sum + ms, 0) / 1000;
  const median = sorted[sorted.length >> 1].toFixed(0);
  const memory = (process.resourceUsage().maxRSS / 1000).toFixed(0);
  console.log(
    `${basename(folder)}: ${(total / seconds).toFixed(3)} s of CPU a second, ${median} ms an utterance (median; least ` +
      `${sorted[0].toFixed(0)}), ${(seconds / recognised.length).toFixed(1)} s each; memory ${memory} MB at most`,
  );
}
await recogniser.release();

async function samplesOf(path: string): Promise<Int16Array> {
  const wav = readWav(await readFile(path));
  const resampler = new Resampler(wav.sampleRateHz, SPEECH_SAMPLE_RATE_HZ);
  const resampled = [Float32Array.from(resampler.push(Float32Array.from(wav.samples))), resampler.flush()];
  const clipped = resampled.flatMap((part) =>
    Array.from(part, (v) => Math.max(-32768, Math.min(32767, Math.round(v)))),
  );
  return Int16Array.from(clipped);
}
