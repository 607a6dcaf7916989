// One part of a sentence of the neural voice, nearly always the whole: its times, and its audio piece by piece.

import { toInt16Samples } from "../../../signal/audio/samples.ts";
import type { SentenceTimes } from "../voice.ts";
import {
  FRAME_MS,
  NEURAL_SAMPLE_RATE_HZ,
  type NetworkGraphs,
  OVERLAP_STEPS,
  type SentenceFrames,
  STEP_SAMPLES,
  STEPS_PER_FRAME,
} from "./network-graphs.ts";
import type { PieceAudio, PieceTask } from "./neural-messages.ts";
import type { PhonemeSentence } from "./phoneme-sentence.ts";
import { type Piece, planPieces } from "./piece-plan.ts";
import { endOfSound, pauseAfter } from "./sentence-end.ts";
import { sentenceTimes, soundTimes } from "./sentence-times.ts";
import { partsThatFit, sentenceTokens } from "./sentence-tokens.ts";
import type { SoundTime } from "./sound-time.ts";

/** Kept before the first sound and behind the last one: the rest of the network's silence is not made. Lips shut 40 ms
 *  before a first P, B or M. */
const KEPT_STEPS_BEFORE = 4;
const KEPT_STEPS_BEHIND = 8;
const STEP_MS = FRAME_MS / STEPS_PER_FRAME;

export class NeuralSentence {
  readonly #graphs: NetworkGraphs;
  readonly #frames: SentenceFrames;
  readonly #pieces: Piece[];
  readonly #times: SentenceTimes;
  readonly #isLastPart: boolean;
  /** Samples from the begin to the end of the pause. */
  readonly #sampleCount: number;

  private constructor(
    graphs: NetworkGraphs,
    frames: SentenceFrames,
    sentence: PhonemeSentence,
    sounds: SoundTime[],
    isLastPart: boolean,
  ) {
    const { toStep, fromStep } = stepsOf(sounds, frames.stepCount);
    const fromMs = fromStep * STEP_MS;
    const heard = sounds.map((sound) => ({
      ...sound,
      startMs: Math.max(0, sound.startMs - fromMs),
      endMs: Math.max(0, sound.endMs - fromMs),
    }));
    this.#graphs = graphs;
    this.#frames = frames;
    this.#isLastPart = isLastPart;
    this.#pieces = planPieces(fromStep, toStep);
    const endMs =
      heard.length === 0 ? 0 : heard[heard.length - 1].endMs + pauseAfter(sentence.words.at(-1)?.mark ?? "");
    this.#sampleCount = Math.round((endMs * NEURAL_SAMPLE_RATE_HZ) / 1000);
    this.#times = sentenceTimes(sentence, heard, endMs);
  }

  /** Runs the front for one part of a sentence, from 0. `voice`: a style table. Throws what the graphs throw. */
  static async open(
    graphs: NetworkGraphs,
    { text, words }: PhonemeSentence,
    { voice, speed, part }: Pick<PieceTask, "voice" | "speed" | "part">,
  ): Promise<NeuralSentence> {
    const parts = partsThatFit(words);
    const spoken = { text, words: parts[part] ?? [] };
    const tokens = sentenceTokens(spoken.words);
    const frames = await graphs.front(tokens.numbers, voice, speed);
    const sounds = soundTimes(tokens.groups, frames.durations, speed);
    return new NeuralSentence(graphs, frames, spoken, sounds, part >= parts.length - 1);
  }

  /** The piece of this number, from 0. A number behind the last one gives the end of the part without audio. */
  async piece(number: number): Promise<PieceAudio> {
    const piece = this.#pieces[number];
    const isLast = number >= this.#pieces.length - 1;
    const [sampleRateHz, none] = [NEURAL_SAMPLE_RATE_HZ, new Int16Array(0)];
    const about = {
      sampleRateHz,
      isLast,
      isLastPart: this.#isLastPart,
      sentence: number === 0 ? this.#times : undefined,
    };
    if (!piece) return { ...about, samples: none, overlap: none };
    const from = Math.max(0, piece.fromStep - OVERLAP_STEPS);
    const to = Math.min(this.#frames.stepCount, piece.toStep + OVERLAP_STEPS);
    const audio = toInt16Samples(await this.#graphs.back(this.#frames, from, to));
    const begin = (piece.fromStep - from) * STEP_SAMPLES;
    const end = begin + (piece.toStep - piece.fromStep) * STEP_SAMPLES;
    if (!isLast) return { ...about, samples: audio.slice(begin, end), overlap: audio.slice(end) };
    const heard = audio.subarray(begin, end);
    const before = (piece.fromStep - this.#pieces[0].fromStep) * STEP_SAMPLES;
    const soundCount = endOfSound(heard);
    const samples = new Int16Array(Math.max(soundCount, this.#sampleCount - before));
    samples.set(heard.subarray(0, soundCount));
    return { ...about, samples, overlap: none };
  }
}

/** The steps in which the sounds are. */
function stepsOf(sounds: readonly SoundTime[], stepCount: number): Piece {
  const last = sounds.at(-1);
  if (!last) return { fromStep: 0, toStep: 0 };
  const fromStep = Math.max(0, Math.floor(sounds[0].startMs / STEP_MS) - KEPT_STEPS_BEFORE);
  const toStep = Math.min(stepCount, Math.ceil(last.endMs / STEP_MS) + KEPT_STEPS_BEHIND);
  return { fromStep, toStep };
}
