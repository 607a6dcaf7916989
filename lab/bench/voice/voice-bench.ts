// What the neural voice costs, how soon it is heard, and how well its pieces join.
import { EngineError } from "../../../shared/engine-error.ts";
import { joinPieces } from "../../../src/speech/voice/join-pieces.ts";
import { hasNeuralFiles } from "../../../src/speech/voice/neural/network-graphs.ts";
import type { PieceAudio, PieceTask } from "../../../src/speech/voice/neural/neural-messages.ts";
import { NeuralSynthesizer } from "../../../src/speech/voice/neural/neural-synthesizer.ts";
import { NeuralVoice } from "../../../src/speech/voice/neural/neural-voice.ts";
import type { SpokenSentence } from "../../../src/speech/voice/voice.ts";
import { cpuBetween, type ProcessCpu, readProcessTree } from "../cpu-time.ts";
import { percentile } from "../percentile.ts";
import { round } from "../round.ts";
import { readPssMb } from "../service/memory.ts";
import { BILABIAL_SENTENCES, lipClosures } from "./lip-closures.ts";
import { type HeardPiece, type Seam, seamsOf } from "./seams.ts";
import { CLAUSES, SENTENCES } from "./voice-sentences.ts";

const ROUNDS = 3;

interface Spoken {
  pieces: HeardPiece[];
  seconds: number;
  firstMs: number;
  /** CPU time of the process of the voice until the first piece, and in all. */
  firstCpuMs: number;
  cpuMs: number;
}

/** Costs in CPU time of the voice's process, which other load on the machine disturbs least; delays in wall time.
 *  Throws EngineError(unavailable) without the files of the voice. */
export async function benchVoice() {
  if (!hasNeuralFiles()) throw new EngineError("unavailable", "The files of the neural voice are not installed.");
  const synthesizer = new NeuralSynthesizer();
  try {
    const cold = await speak(synthesizer, SENTENCES[0]);
    const afterOneMb = await memoryMb();
    const [sentences, clauses]: [Spoken[], Spoken[]] = [[], []];
    for (let count = 1; count <= ROUNDS; count++) {
      for (const text of SENTENCES) sentences.push(await speak(synthesizer, text, count));
      for (const text of CLAUSES) clauses.push(await speak(synthesizer, text, count));
    }
    const all = [...sentences, ...clauses];
    const seconds = all.reduce((total, each) => total + each.seconds, 0);
    return {
      speech_s: round(seconds),
      cpu_s_per_s: {
        mean: round(all.reduce((total, each) => total + each.cpuMs / 1000, 0) / seconds),
        least: round(Math.min(...all.map((each) => each.cpuMs / 1000 / each.seconds))),
      },
      first_sound_ms: { sentences: firstSound(sentences), clauses: firstSound(clauses) },
      cold: { first_sound_ms: Math.round(cold.firstMs), first_sound_cpu_ms: cold.firstCpuMs },
      memory_mb: { after_one_sentence: afterOneMb, at_the_end: await memoryMb() },
      lips: await lipMetrics(synthesizer),
      seams: seamMetrics(sentences.slice(0, SENTENCES.length).flatMap(({ pieces }) => seamsOf(pieces))),
    };
  } finally {
    await synthesizer.close();
  }
}

function firstSound(spoken: readonly Spoken[]) {
  const metrics = (values: number[]) => ({
    least: Math.round(Math.min(...values)),
    median: Math.round(percentile(values, 0.5)),
  });
  return {
    wall: metrics(spoken.map(({ firstMs }) => firstMs)),
    cpu: metrics(spoken.map(({ firstCpuMs }) => firstCpuMs)),
  };
}

async function lipMetrics(synthesizer: NeuralSynthesizer) {
  const voice = new NeuralVoice({ pieces: { speak: (task) => synthesizer.speak(task), close: async () => undefined } });
  const spoken: SpokenSentence[] = [];
  for await (const sentence of joinPieces(voice.synthesize(BILABIAL_SENTENCES.join(" "), { voiceId: "F1" }))) {
    spoken.push(sentence);
  }
  const { closures, seen } = await lipClosures(spoken);
  return { closures, seen_within_40_ms: round(seen / closures) };
}

function seamMetrics(seams: readonly Seam[]) {
  const most = (values: number[]) => round(Math.max(...values.map(Math.abs)));
  return {
    count: seams.length,
    most_level_jump_db: most(seams.map(({ jumpDb }) => jumpDb)),
    most_level_jump_unmatched_db: most(seams.map(({ unmatchedDb }) => unmatchedDb)),
    most_step_of_those_around: most(seams.map(({ stepShare }) => stepShare)),
  };
}

/** `count`: changes the speed a little, so that the process remembers nothing of an earlier round. */
async function speak(synthesizer: NeuralSynthesizer, text: string, count = 0): Promise<Spoken> {
  const made: PieceAudio[] = [];
  const noting = {
    speak: async (task: PieceTask) => {
      const piece = await synthesizer.speak(task);
      // The voice changes the samples where it joins them.
      made.push({ ...piece, samples: piece.samples.slice() });
      return piece;
    },
    close: async () => undefined,
  };
  const voice = new NeuralVoice({ pieces: noting });
  const before = await voiceProcesses();
  const startedMs = performance.now();
  const pieces: HeardPiece[] = [];
  let [firstMs, firstCpuMs, seconds] = [0, 0, 0];
  for await (const { samples, sampleRateHz } of voice.synthesize(text, { voiceId: "F1", speed: 1 + count / 1000 })) {
    if (pieces.length === 0) {
      firstMs = performance.now() - startedMs;
      firstCpuMs = cpuBetween(before, await voiceProcesses());
    }
    pieces.push({ made: made[pieces.length], heard: samples });
    seconds += samples.length / sampleRateHz;
  }
  return { pieces, seconds, firstMs, firstCpuMs, cpuMs: cpuBetween(before, await voiceProcesses()) };
}

async function voiceProcesses(): Promise<ProcessCpu[]> {
  return (await readProcessTree(process.pid)).filter(({ pid }) => pid !== process.pid);
}

async function memoryMb(): Promise<number> {
  return readPssMb((await voiceProcesses()).map(({ pid }) => pid));
}
