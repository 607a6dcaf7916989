// A Piper voice: one VITS graph from tokens to a whole sentence of audio.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../../../../shared/engine-error.ts";
import type { InferenceRuntime, InferenceSession, Tensor } from "../../../signal/inference/inference-runtime.ts";
import { inspectModel } from "../../../signal/onnx/inspect-model.ts";
import { withOutput } from "../../../signal/onnx/with-output.ts";
import type { PieceAudio } from "../neural/neural-messages.ts";
import { endOfSound, pauseAfter } from "../neural/sentence-end.ts";
import { sentenceTimes, symbolTimes } from "../neural/sentence-times.ts";
import type { FetchedTask } from "./fetched-messages.ts";
import { levelledSamples } from "./levelled-samples.ts";
import { type PiperConfig, parsePiperConfig } from "./piper-config.ts";
import { piperTokens } from "./piper-tokens.ts";

/** Samples of a frame, in which the network counts durations. */
const FRAME_SAMPLES = 256;
/** Measured on 27 to 30 P, B and M of twenty sentences of one voice. */
const LIPS = { shutEarlyMs: 45, openEarlyMs: 12 };

export class PiperNetwork {
  readonly #runtime: InferenceRuntime;
  readonly #session: InferenceSession;
  readonly #config: PiperConfig;
  /** Name of the tensor with the frames of each token; undefined for a network that does not tell them. */
  readonly #durations: string | undefined;

  private constructor(
    runtime: InferenceRuntime,
    session: InferenceSession,
    config: PiperConfig,
    durations: string | undefined,
  ) {
    this.#runtime = runtime;
    this.#session = session;
    this.#config = config;
    this.#durations = durations;
  }

  /** Loads a voice: a second or two of CPU, 270 MB. Throws EngineError(unavailable) if its files cannot be read. */
  static async load(runtime: InferenceRuntime, folder: string): Promise<PiperNetwork> {
    try {
      const config = parsePiperConfig(await readFile(join(folder, "config.json"), "utf8"));
      const model = await readFile(join(folder, "model.onnx"));
      const durations = findDurations(model);
      const session = await runtime.createSession(durations ? withOutput(model, durations) : model);
      return new PiperNetwork(runtime, session, config, durations);
    } catch (cause) {
      throw new EngineError("unavailable", "The fetched voice cannot be loaded. Remove it and fetch it again.", {
        cause,
      });
    }
  }

  /** Speaks a sentence. Without sounds there is no audio. Throws EngineError(invalid-input) for an unknown speaker. */
  async speak({ sentence, speed, speaker }: FetchedTask): Promise<PieceAudio> {
    const { audio, num_speakers: speakers, phoneme_id_map: letters } = this.#config;
    if (speaker >= speakers) {
      throw new EngineError("invalid-input", `The voice has ${speakers} speakers, from 0 to ${speakers - 1}.`);
    }
    const sampleRateHz = audio.sample_rate;
    const { numbers, groups } = piperTokens(sentence.words, letters);
    const about = { sampleRateHz, overlap: new Int16Array(0), isLast: true, isLastPart: true };
    if (groups.every(({ word }) => word < 0)) {
      return { ...about, samples: new Int16Array(0), sentence: sentenceTimes(sentence, [], 0) };
    }
    const out = await this.#session.run(this.#inputs(numbers, speed, speaker));
    const made = levelledSamples(out.output.data as Float32Array);
    const soundCount = endOfSound(made, sampleRateHz);
    const soundMs = (soundCount * 1000) / sampleRateHz;
    const endMs = soundMs + pauseAfter(sentence.words.at(-1)?.mark ?? "");
    const samples = new Int16Array(Math.round((endMs * sampleRateHz) / 1000));
    samples.set(made.subarray(0, soundCount));
    if (!this.#durations) return { ...about, samples };
    const frameMs = (FRAME_SAMPLES * 1000) / sampleRateHz;
    const sounds = symbolTimes(groups, out[this.#durations].data as Float32Array, { frameMs, earlyMs: 0 });
    // Silence behind the last word belongs to the pause.
    const heard = sounds.slice(0, sounds.findLastIndex(({ word }) => word >= 0) + 1);
    const last = heard[heard.length - 1];
    last.endMs = Math.max(last.startMs, Math.min(last.endMs, soundMs));
    return { ...about, samples, sentence: sentenceTimes(sentence, heard, endMs, LIPS) };
  }

  async release(): Promise<void> {
    await this.#session.release();
  }

  #inputs(numbers: readonly number[], speed: number, speaker: number): Record<string, Tensor> {
    const { Tensor } = this.#runtime;
    const { inference, num_speakers: speakers } = this.#config;
    const scales = [inference.noise_scale, inference.length_scale / speed, inference.noise_w];
    return {
      input: new Tensor("int64", BigInt64Array.from(numbers, BigInt), [1, numbers.length]),
      input_lengths: new Tensor("int64", BigInt64Array.of(BigInt(numbers.length)), [1]),
      scales: new Tensor("float32", Float32Array.from(scales), [3]),
      ...(speakers > 1 && { sid: new Tensor("int64", BigInt64Array.of(BigInt(speaker)), [1]) }),
    };
  }
}

/** The network rounds durations up to whole frames: the only rounding in it. */
function findDurations(model: Uint8Array): string | undefined {
  const rounded = inspectModel(model).nodes.filter(({ operator }) => operator === "Ceil");
  return rounded.length === 1 ? rounded[0].outputs[0] : undefined;
}
