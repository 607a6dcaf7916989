// Creates the engine: audio-to-viseme network, mouth, idle motion, renderer and sequencer behind one interface.
//
// States of a step: ready (between steps) → hearing → heard (audio is out, its video frame is not) → rendering → ready.
// Any of them → closed. If hearing or rendering fails, the state returns to ready.
import { HEARING_HOP_SAMPLES, PLAYOUT_SAMPLE_RATE_HZ } from "../../shared/units.ts";
import { Actor } from "../acting/actor.ts";
import { type HearingNetwork, loadHearingNetwork } from "../hearing/hearing-network.ts";
import { AUDIO_HOPS, type HeardSpeech, HearingStream } from "../hearing/hearing-stream.ts";
import { MouthShaper } from "../hearing/mouth-shaper.ts";
import type { InferenceRuntime } from "../inference/inference-runtime.ts";
import type { Avatar, MouthAudio } from "../rendering/avatar.ts";
import type { I420Frame } from "../rendering/i420-frame.ts";
import { assertMove, type Moves } from "./assert-move.ts";
import type { Engine, EngineAudio, EngineReadiness, EngineTick, SegmentInput } from "./engine.ts";
import type { EngineStats } from "./engine-stats.ts";
import { hopSamplesAt, SegmentSequencer, type SequencerStep } from "./segment-sequencer.ts";

export interface EngineOptions {
  /** Owned by the caller; the engine's `close()` does not close it. */
  avatar: Avatar;
  runtime: InferenceRuntime;
  /** Bytes of the hearing network. */
  hearingModel: Uint8Array;
  /** Sample rate of the output audio, Hz. Default 48,000. */
  sampleRateHz?: number;
  /** Integer. The same seed and audio give the same video. Default 1. */
  seed?: number;
  /** Size of mouth movements: 0 is calm (factor 0.5), 0.5 a person in conversation (factor 1), 1 lively (factor 1.5).
   *  Lips close on P, B and M at any setting. Default 0.5. */
  expressiveness?: number;
  /** 1: audio is output one step before its video frame, for rooms, whose transport delays audio longer than video.
   *  Default 0. */
  audioLeadTicks?: 0 | 1;
  /** Monotonic time, ms, for rooms: delayed audio of a real-time sender is shortened inaudibly until it has caught up.
   *  Without a clock every sample plays, and the same audio gives the same video at any speed. */
  liveClock?: () => number;
}

/** Creates an engine that is ready for its first step. Throws RangeError for a rate or expressiveness out of range,
 *  Error for an unusable model. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const sampleRateHz = options.sampleRateHz ?? PLAYOUT_SAMPLE_RATE_HZ;
  const hopSamples = hopSamplesAt(sampleRateHz);
  const mouth = new MouthShaper(options.expressiveness);
  const network = await loadHearingNetwork(options.runtime, options.hearingModel);
  return new AvatarEngine({ ...options, sampleRateHz }, { network, mouth, hopSamples });
}

type EngineState = "ready" | "hearing" | "heard" | "rendering" | "closed";

const MOVES: Moves<EngineState> = {
  ready: ["hearing", "closed"],
  hearing: ["heard", "ready", "closed"],
  heard: ["rendering", "closed"],
  rendering: ["ready", "closed"],
  closed: [],
};

/** Parts of the engine that are loaded before it is created. */
interface EngineParts {
  network: HearingNetwork;
  mouth: MouthShaper;
  hopSamples: number;
}

class AvatarEngine implements Engine {
  readonly sampleRateHz: number;
  readonly #avatar: Avatar;
  readonly #network: HearingNetwork;
  readonly #mouth: MouthShaper;
  readonly #actor: Actor;
  readonly #sequencer: SegmentSequencer;
  readonly #audio: Int16Array;
  readonly #stats: EngineStats = { ticks: 0, starvedTicks: 0, droppedSamples: 0, hearingMs: 0, renderMs: 0 };
  #state: EngineState = "ready";
  /** The half of a step that is running. */
  #running: Promise<unknown> = Promise.resolve();
  /** Output of the step whose video frame is not rendered yet. */
  #step: SequencerStep | null = null;

  constructor(options: EngineOptions & { sampleRateHz: number }, { network, mouth, hopSamples }: EngineParts) {
    this.sampleRateHz = options.sampleRateHz;
    this.#avatar = options.avatar;
    this.#network = network;
    this.#mouth = mouth;
    this.#audio = new Int16Array(hopSamples);
    this.#actor = new Actor({
      seed: options.seed ?? 1,
      restPose: options.avatar.restPose,
      gestures: options.avatar.gestures,
      headMotion: options.avatar.headMotion,
    });
    this.#sequencer = new SegmentSequencer({
      stream: new HearingStream(network, { keepsAudio: options.avatar.usesAudio }),
      outputRateHz: options.sampleRateHz,
      audioLeadTicks: options.audioLeadTicks ?? 0,
      liveClock: options.liveClock,
    });
  }

  openSegment(segmentId: string, sampleRateHz: number): SegmentInput {
    this.#assertOpen();
    const segment = this.#sequencer.open(segmentId, sampleRateHz);
    return {
      segmentId,
      push: (samples, visemes) => this.#sequencer.push(segment, samples, visemes),
      end: () => segment.end(),
    };
  }

  async hear(): Promise<EngineAudio> {
    this.#assertOpen();
    if (this.#state !== "ready") throw new Error(`steps must not overlap: the previous one is ${this.#state}`);
    this.#enter("hearing");
    const startedMs = performance.now();
    await this.#run(this.#sequencer.hearAhead());
    this.#enter("heard");
    this.#stats.hearingMs += performance.now() - startedMs;
    const step = this.#sequencer.step(this.#audio);
    this.#step = step;
    return {
      audio: this.#audio,
      isSpeaking: step.speechSamples > 0,
      speechMs: (step.speechSamples * 1000) / this.sampleRateHz,
      segmentId: step.segmentId,
      positionMs: step.positionMs,
      events: step.events,
    };
  }

  async render(): Promise<I420Frame> {
    this.#assertOpen();
    if (this.#state !== "heard" || !this.#step) throw new Error(`nothing to render: the engine is ${this.#state}`);
    this.#enter("rendering");
    const startedMs = performance.now();
    const { heard, isStarved } = this.#step;
    this.#step = null;
    const mouth = heard ? this.#mouth.speak(heard) : this.#mouth.rest();
    const pose = this.#actor.pose(this.#stats.ticks, mouth, heard?.levelDb ?? null);
    const videoFrame = await this.#run(this.#avatar.render(pose, this.#actor.breath, audioOf(heard)));
    this.#enter("ready");
    this.#stats.ticks += 1;
    if (isStarved) this.#stats.starvedTicks += 1;
    this.#stats.renderMs += performance.now() - startedMs;
    return videoFrame;
  }

  async tick(): Promise<EngineTick> {
    const audio = await this.hear();
    const index = this.#stats.ticks;
    try {
      return { ...audio, index, videoFrame: await this.render() };
    } catch (error) {
      // The step's audio is lost, but each segment still reports its end once.
      this.#sequencer.giveBack(audio.events);
      throw error;
    }
  }

  readiness(): EngineReadiness {
    return this.#sequencer.readiness();
  }

  clear(): string[] {
    return this.#sequencer.clear();
  }

  trigger(gesture: string): boolean {
    return this.#actor.trigger(gesture);
  }

  listening(isListening: boolean): void {
    this.#actor.listening(isListening);
  }

  stats(): EngineStats {
    return { ...this.#stats, droppedSamples: this.#sequencer.droppedSamples };
  }

  async close(): Promise<void> {
    if (this.#state === "closed") return;
    this.#enter("closed");
    // Waits for a step in flight, which still uses the network. Its error goes to its own caller.
    await this.#running.catch(() => undefined);
    await this.#network.close();
  }

  /** Runs half a step. A failure ends the step. */
  async #run<T>(half: Promise<T>): Promise<T> {
    this.#running = half;
    try {
      const result = await half;
      this.#assertOpen();
      return result;
    } catch (error) {
      if (this.#state !== "closed") this.#enter("ready");
      throw error;
    }
  }

  #enter(next: EngineState): void {
    assertMove(MOVES, this.#state, next);
    this.#state = next;
  }

  #assertOpen(): void {
    if (this.#state === "closed") throw new Error("the engine is closed");
  }
}

/** The audio around a video frame, for renderers that render the mouth from it. */
function audioOf(heard: HeardSpeech | null): MouthAudio | null {
  return heard?.audio ? { samples: heard.audio, frameStart: ((AUDIO_HOPS - 1) / 2) * HEARING_HOP_SAMPLES } : null;
}
