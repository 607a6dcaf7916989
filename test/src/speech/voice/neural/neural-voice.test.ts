// The neural voice with its real network, in its own process.
import { readdirSync, readFileSync } from "node:fs";
import t from "tap";
import { joinSamples } from "../../../../../src/signal/audio/join-samples.ts";
import { DefaultVoice } from "../../../../../src/speech/voice/default-voice.ts";
import { joinPieces } from "../../../../../src/speech/voice/join-pieces.ts";
import { hasNeuralFiles } from "../../../../../src/speech/voice/neural/network-graphs.ts";
import type { PieceTask } from "../../../../../src/speech/voice/neural/neural-messages.ts";
import { NeuralSynthesizer } from "../../../../../src/speech/voice/neural/neural-synthesizer.ts";
import { NeuralVoice } from "../../../../../src/speech/voice/neural/neural-voice.ts";
import type { SpokenPiece } from "../../../../../src/speech/voice/voice.ts";
import { bandLevels } from "../../../../helpers/faces/band-levels-of.ts";

const skip = hasNeuralFiles() ? false : "the files of the neural voice are not installed";
/** Full of P, B and M. */
const BIG_BOAT = "My big boat is blue.";
/** Ten words. */
const WEATHER = "The weather will stay warm and sunny for several days.";
const BOTH = [BIG_BOAT, WEATHER];
/** Lips that are shut between vowels let this much less through from 700 to 3,500 Hz, dB. */
const LEAST_CLOSURE_DB = 6;
const MOST_SEAM_DB = 3;

/** One process for the whole file: it takes seconds to load. */
const synthesizer = new NeuralSynthesizer();
const tasks: PieceTask[] = [];
/** Its clock stands still, so that a busy machine does not count as a slow one. */
const voice = new NeuralVoice({
  pieces: {
    speak: (task) => {
      tasks.push(task);
      return synthesizer.speak(task);
    },
    close: () => synthesizer.close(),
  },
  now: () => 0,
});
t.teardown(() => voice.close());

async function collect(pieces: AsyncIterable<SpokenPiece>): Promise<SpokenPiece[]> {
  const all: SpokenPiece[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

/** RMS of 20 ms around a sample. */
function levelAround(samples: Int16Array, at: number): number {
  const part = samples.subarray(Math.max(0, at - 240), at + 240);
  return Math.sqrt(part.reduce((sum, value) => sum + value * value, 0) / part.length);
}

t.test(
  "sentences come in pieces with the times of their words, and with lips that shut",
  { skip, timeout: 120_000 },
  async (t) => {
    const pieces = await collect(voice.synthesize(BOTH.join(" "), { voiceId: "F1", speed: 1 }));
    t.same(
      tasks.map(({ piece, voice }) => `${voice} ${piece}`),
      ["af_heart 0", "af_heart 1", "af_heart 0", "af_heart 1", "af_heart 2"],
    );
    t.same(
      pieces.map(({ sentence, endsSentence }) => [sentence?.text, endsSentence]),
      [
        [BIG_BOAT, false],
        [undefined, true],
        [WEATHER, false],
        [undefined, false],
        [undefined, true],
      ],
    );
    t.equal(pieces[0].samples.length, 12_000, "half a second first");
    const sentences = await collectSentences(pieces);
    for (const [index, { samples, sampleRateHz, words, phonemes, visemes }] of sentences.entries()) {
      const durationMs = (samples.length * 1000) / sampleRateHz;
      t.equal(sampleRateHz, 24_000);
      t.same(
        words.map(({ text }) => text),
        BOTH[index].slice(0, -1).split(" "),
      );
      for (const times of [words, phonemes, visemes]) {
        t.ok(
          times.every(({ startMs, endMs }, k) => startMs >= (times[k - 1]?.endMs ?? 0) - 60 && endMs >= startMs),
          "in order of time",
        );
      }
      t.ok(Math.abs(visemes[visemes.length - 1].endMs - durationMs) < 1, "to the end of the pause");
      const wordsEndMs = words[words.length - 1].endMs;
      const tail = samples.subarray(Math.round((wordsEndMs + 60) * 24));
      t.ok(wordsEndMs < durationMs - 200 && tail.every((sample) => Math.abs(sample) < 400), "silent behind the words");
      for (const { text, startMs, endMs } of words) {
        const word = samples.subarray(Math.round(startMs * 24), Math.round(endMs * 24));
        t.ok(Math.max(...word) > 3000, `${text} is heard`);
      }
      const levels = bandLevels(samples, sampleRateHz, 700, 3500);
      const between = (fromMs: number, toMs: number) => levels.slice(Math.max(0, Math.round(fromMs)), Math.round(toMs));
      for (const { startMs, endMs } of visemes.filter(({ viseme, startMs }) => viseme === "PP" && startMs > 60)) {
        const shut = Math.min(...between(startMs, endMs));
        const open = Math.min(Math.max(...between(startMs - 80, startMs)), Math.max(...between(endMs, endMs + 80)));
        t.ok(open - shut > LEAST_CLOSURE_DB, `lips shut at ${startMs.toFixed(0)} ms: ${(open - shut).toFixed(1)} dB`);
      }
    }
  },
);

t.test("pieces join without a click and without a jump of level", { skip, timeout: 120_000 }, async (t) => {
  const pieces = await collect(voice.synthesize(WEATHER, { voiceId: "F1" }));
  const whole = joinSamples(pieces.map(({ samples }) => samples));
  const steps = whole.map((sample, index) => Math.abs(sample - (whole[index - 1] ?? 0)));
  let seam = 0;
  for (const { samples } of pieces.slice(0, -1)) {
    seam += samples.length;
    const around = steps.subarray(seam - 1200, seam + 1200);
    t.ok(steps[seam] <= Math.max(...around), "no click");
    t.ok(steps[seam] < 0.5 * Math.max(...steps), "the step at the seam is far from the largest one");
    const [before, after] = [levelAround(whole, seam - 240), levelAround(whole, seam + 240)];
    const beside = [-1200, -720, 720, 1200].map((offset) => levelAround(whole, seam + offset));
    const jump = Math.abs(20 * Math.log10(after / before));
    const natural = Math.abs(20 * Math.log10(beside[2] / beside[1]));
    t.ok(jump < MOST_SEAM_DB + natural, `the level moves by ${jump.toFixed(1)} dB, ${natural.toFixed(1)} dB around it`);
  }
  t.ok(seam > 0);
});

t.test("other languages have the formant synthesizer's phonemes", { skip, timeout: 120_000 }, async (t) => {
  tasks.length = 0;
  const text = "Mi perro bebe 2 vinos.";
  const [{ words, phonemes, visemes }] = await collectSentences(
    await collect(voice.synthesize(text, { voiceId: "F1", language: "es" })),
  );
  t.equal(tasks[0].voice, "ef_dora");
  t.same(
    words.map(({ text, fromCharacter }) => [text, fromCharacter]),
    [
      ["Mi", 0],
      ["perro", 3],
      ["bebe", 9],
      ["dos", 14],
      ["vinos", 16],
    ],
  );
  t.equal(phonemes.map(({ text }) => text).join(""), "mipˈeroβˈeβeðˈosβˈinos");
  t.equal(
    visemes.filter(({ viseme }) => viseme === "PP").length,
    2,
    "lips shut for M and P; between vowels a Spanish B is open",
  );
});

t.test(
  "a listener who leaves stops the voice; a process that dies fails its sentence only",
  { skip, timeout: 120_000 },
  async (t) => {
    tasks.length = 0;
    for await (const piece of voice.synthesize(WEATHER)) {
      t.equal(piece.endsSentence, false);
      break;
    }
    t.equal(tasks.length, 1, "nothing more is made");
    const speaking = collect(voice.synthesize(WEATHER));
    const children = neuralProcesses();
    t.equal(children.length, 1);
    process.kill(children[0], "SIGKILL");
    await t.rejects(speaking, { code: "program-failed", message: "The voice process failed." });
    const [sentence] = await collectSentences(await collect(voice.synthesize(BIG_BOAT)));
    t.equal(sentence.text, BIG_BOAT, "the next sentence starts another process");
    await voice.close();
    await t.rejects(collect(voice.synthesize(BIG_BOAT)), { code: "unavailable" });
    await voice.close();
  },
);

t.test("the formant voice speaks other languages, without the files, and when it is chosen", async (t) => {
  const warmed: number[] = [];
  const marked = (sampleRateHz: number) => ({
    warmUp: () => void warmed.push(sampleRateHz),
    async *synthesize() {
      yield { sampleRateHz, samples: new Int16Array(1), endsSentence: true };
    },
    close: async () => undefined,
  });
  const rateOf = async (options: object, language?: string) => {
    const voice = new DefaultVoice({ neural: marked(24_000), formant: marked(22_050), ...options });
    const [piece] = await collect(voice.synthesize("Hello.", { language }));
    voice.warmUp(language);
    t.equal(warmed.pop(), piece.sampleRateHz, "what will speak is loaded ahead");
    return piece.sampleRateHz;
  };
  t.equal(await rateOf({ isInstalled: true }), 24_000);
  t.equal(await rateOf({ isInstalled: true }, "en-GB"), 24_000);
  for (const language of ["es", "es-MX", "fr", "it", "pt", "pt-BR"]) {
    t.equal(await rateOf({ isInstalled: true }, language), 24_000, language);
  }
  for (const language of ["de", "pl", "pt-PT"])
    t.equal(await rateOf({ isInstalled: true }, language), 22_050, language);
  t.equal(await rateOf({ isInstalled: false }), 22_050);
  t.equal(await rateOf({ isInstalled: true, engine: "formant" }), 22_050);
  const unused = new NeuralVoice();
  await t.rejects(collect(unused.synthesize("Hi", { voiceId: "X9" })), { code: "unknown-voice" });
  await t.rejects(collect(unused.synthesize("Hallo", { language: "de" })), { code: "invalid-input" });
  await t.rejects(collect(unused.synthesize("Hi", { speed: 9 })), { code: "invalid-input" });
});

t.test("a slow machine pauses between sentences, not within them", async (t) => {
  let nowMs = 0;
  let msPerSecond = 300;
  /** Of the pieces of a sentence of 4.6 s. */
  const seconds = [0.5, 0.8, 1.3, 2];
  const slow = new NeuralVoice({
    pieces: {
      speak: async ({ sentence, piece }) => {
        nowMs += (seconds[piece] + 0.2) * msPerSecond;
        const silence = { viseme: "sil" as const, startMs: 0, endMs: 4600 };
        const times = { text: sentence.text, phonemes: [], words: [], visemes: [silence] };
        return {
          sampleRateHz: 24_000,
          samples: new Int16Array(24_000 * seconds[piece]),
          overlap: new Int16Array(0),
          isLast: piece === 3,
          isLastPart: true,
          ...(piece === 0 && { sentence: times }),
        };
      },
      close: async () => undefined,
    },
    now: () => nowMs,
  });
  /** When the first piece is heard, and how often the sound stops before a piece that does not begin a sentence. */
  const listen = async () => {
    const startMs = nowMs;
    let [firstMs, endsMs, holes, count] = [-1, 0, 0, 0];
    for await (const { samples } of slow.synthesize("One two three four. Five six seven eight. Nine ten eleven.")) {
      if (firstMs < 0) firstMs = nowMs - startMs;
      else if (count % 4 !== 0 && nowMs > endsMs + 100) holes++;
      endsMs = Math.max(endsMs, nowMs) + samples.length / 24;
      count++;
    }
    t.equal(count, 12, "every piece is heard");
    return { firstMs: Math.round(firstMs), holes };
  };
  t.same(await listen(), { firstMs: 210, holes: 0 }, "after the first piece");
  msPerSecond = 800;
  await listen();
  const { firstMs, holes } = await listen();
  t.ok(firstMs > 560 && holes === 0, `it waits for more than one piece: ${firstMs} ms`);
  msPerSecond = 1800;
  await listen();
  t.same(
    await listen(),
    { firstMs: 5760, holes: 1 },
    "two speakers: a listener does not wait for a whole first sentence",
  );
  msPerSecond = 4000;
  await listen();
  t.equal((await listen()).firstMs, 6800, "a machine with far too much to do still answers");
  msPerSecond = 200;
  for (let i = 0; i < 3; i++) await listen();
  t.same(await listen(), { firstMs: 140, holes: 0 }, "it notices when the machine is free again");
});

t.test("a sentence in several parts is spoken to its end, each part with its own caption", async (t) => {
  const text = "Ask **Anna**, Ben (or Carl), and www.example.com today.";
  /** How many of the sentence's words each part has. */
  const partSizes = [2, 3, 2, 1, 99];
  const asked: string[] = [];
  const voice = new NeuralVoice({
    pieces: {
      speak: async ({ sentence, part, piece }) => {
        asked.push(`${part}.${piece}`);
        const from = partSizes.slice(0, part).reduce((sum, size) => sum + size, 0);
        const words = sentence.words.slice(from, from + partSizes[part]);
        const timed = words.map((word) => ({ ...word, startMs: 0, endMs: 1 }));
        return {
          sampleRateHz: 24_000,
          samples: new Int16Array(1),
          overlap: new Int16Array(0),
          isLast: piece === 1,
          isLastPart: part === partSizes.length - 1,
          sentence: piece === 0 ? { text: sentence.text, phonemes: [], words: timed, visemes: [] } : undefined,
        };
      },
      close: async () => undefined,
    },
  });
  const pieces = await collect(voice.synthesize(text));
  t.same(asked.join(" "), "0.0 0.1 1.0 1.1 2.0 2.1 3.0 3.1 4.0 4.1");
  t.same(
    pieces.flatMap(({ sentence }) => (sentence ? [sentence.text] : [])),
    ["Ask Anna,", "Ben (or Carl),", "and www.example.com", "www.example.com", "today."],
  );
  t.same(pieces.map(({ endsSentence }) => endsSentence).filter(Boolean).length, 5);
});

async function collectSentences(pieces: SpokenPiece[]) {
  async function* each() {
    yield* pieces;
  }
  const all = [];
  for await (const sentence of joinPieces(each())) all.push(sentence);
  return all;
}

/** Process ids of the children of this process that run the neural voice. */
function neuralProcesses(): number[] {
  const children = readdirSync("/proc/self/task").flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
  return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("neural-process"));
}
