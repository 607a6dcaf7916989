// Creates the engine: audio-to-viseme network, mouth, idle motion, renderer and sequencer behind one interface.
//
// Audio and video frames are independent: audio may be any number of steps ahead, and a slow renderer delays no audio.
// Each of the two runs one call at a time.
import type { Expression } from "../../../shared/expressions.ts";
import type { Manner } from "../../../shared/manners.ts";
import { LIP_SYNC_HOP_SAMPLES, PLAYOUT_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { loadResampleProgram, type ResampleProgram } from "../../signal/audio/executor/resample-program.ts";
import type { I420Frame } from "../../signal/image/i420-frame.ts";
import type { InferenceRuntime } from "../../signal/inference/inference-runtime.ts";
import type { LipSyncNetwork } from "../lip-sync/lip-sync-network.ts";
import { AUDIO_HOPS, LipSyncStream, type SpeechFeatures } from "../lip-sync/lip-sync-stream.ts";
import { loadLipSyncNetwork } from "../lip-sync/load-lip-sync-network.ts";
import { MouthShaper } from "../lip-sync/mouth-shaper.ts";
import { Actor } from "../motion/actor.ts";
import type { ExpressionSource } from "../motion/expression-choice.ts";
import type { HeardOfUser } from "../motion/listening-reactions.ts";
import type { Avatar, MouthAudio } from "../rendering/avatar.ts";
import type {
  Engine,
  EngineAudio,
  EngineReadiness,
  EngineTick,
  ExpressiveSegment,
  FrameInput,
  FramePose,
} from "./engine.ts";
import type { EngineStats } from "./engine-metrics.ts";
import { hopSamplesAt, SegmentSequencer } from "./segment-sequencer.ts";

export interface EngineOptions {
  /** Owned by the caller; the engine's `close()` does not close it. */
  avatar: Avatar;
  runtime: InferenceRuntime;
  /** Tracks by name. Default: the avatar's own. */
  gestures?: Avatar["gestures"];
  /** Bytes of the lip-sync network. */
  lipSyncModel: Uint8Array;
  /** Sample rate of the output audio, Hz. Default 48,000. */
  sampleRateHz?: number;
  /** Integer. The same seed and audio give the same video. Default 1. */
  seed?: number;
  /** Size of mouth movements: 0 is calm (factor 0.5), 0.5 a person in conversation (factor 1), 1 lively (factor 1.5).
   *  Lips close on P, B and M at any setting. Default 0.5. */
  expressiveness?: number;
  /** What the face shows from its first frame on, while nothing else sets its expression. Default neutral. */
  mood?: Expression;
  /** How lively the face is by itself: `still` (breath, blinks, lips, and what a caller sets), `natural` or `animated`.
   *  Default natural. */
  manner?: Manner;
  /** Steps by which audio is output before its video frame, for rooms: the look-ahead of a video frame then arrives
   *  while its audio is queued. Default 0. */
  audioLeadTicks?: 0 | 1 | 2;
  /** Audio of a segment that must have arrived before the segment starts, or continues after an underrun, ms. It bounds
   *  the jitter that playout absorbs. A segment that has ended starts at once. A function is asked each time. Default
   *  0. */
  startReserveMs?: number | (() => number);
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
  const network = await loadLipSyncNetwork(options.runtime, options.lipSyncModel);
  const resampling = await loadResampleProgram(options.runtime);
  return new AvatarEngine({ ...options, sampleRateHz }, { network, mouth, hopSamples, resampling });
}

/** Parts of the engine that are loaded before it is created. */
interface EngineParts {
  network: LipSyncNetwork;
  mouth: MouthShaper;
  hopSamples: number;
  resampling: ResampleProgram | null;
}

class AvatarEngine implements Engine {
  readonly sampleRateHz: number;
  readonly #avatar: Avatar;
  readonly #network: LipSyncNetwork;
  readonly #mouth: MouthShaper;
  readonly #actor: Actor;
  readonly #sequencer: SegmentSequencer;
  readonly #audio: Int16Array;
  readonly #stats: EngineStats = { ticks: 0, starvedTicks: 0, droppedSamples: 0, lipSyncMs: 0, renderMs: 0 };
  /** What each pose that was handed out is taken back with. */
  readonly #takingBack = new WeakMap<FramePose, () => void>();
  readonly #onCommand = new Set<() => void>();
  #isClosed = false;
  /** The calls that run; undefined between calls. */
  #lipSync: Promise<unknown> | undefined;
  #rendering: Promise<unknown> | undefined;

  constructor(
    options: EngineOptions & { sampleRateHz: number },
    { network, mouth, hopSamples, resampling }: EngineParts,
  ) {
    this.sampleRateHz = options.sampleRateHz;
    this.#avatar = options.avatar;
    this.#network = network;
    this.#mouth = mouth;
    this.#audio = new Int16Array(hopSamples);
    this.#actor = new Actor({
      seed: options.seed ?? 1,
      restPose: options.avatar.restPose,
      gestures: options.gestures ?? options.avatar.gestures,
      headMotion: options.avatar.headMotion,
      mood: options.mood,
      manner: options.manner,
    });
    this.#sequencer = new SegmentSequencer({
      stream: new LipSyncStream(network, { keepsAudio: options.avatar.usesAudio }),
      outputRateHz: options.sampleRateHz,
      audioLeadTicks: options.audioLeadTicks ?? 0,
      startReserveMs: options.startReserveMs,
      liveClock: options.liveClock,
      resampling,
    });
  }

  openSegment(segmentId: string, sampleRateHz: number): ExpressiveSegment {
    this.#assertOpen();
    const segment = this.#sequencer.open(segmentId, sampleRateHz);
    return {
      segmentId,
      push: (samples, visemes) => this.#sequencer.push(segment, samples, visemes),
      express: (expression, inMs) => segment.express(expression, inMs),
      end: () => segment.end(),
    };
  }

  async prepare(): Promise<void> {
    this.#assertOpen();
    if (this.#lipSync)
      throw new Error("steps must not overlap: the audio of the previous one is still being processed");
    const startedMs = performance.now();
    const lipSync = this.#sequencer.computeAhead();
    this.#lipSync = lipSync;
    try {
      await lipSync;
    } finally {
      this.#lipSync = undefined;
    }
    this.#assertOpen();
    this.#stats.lipSyncMs += performance.now() - startedMs;
  }

  async nextAudio(queuedMs = 0): Promise<EngineAudio> {
    await this.prepare();
    const step = this.#sequencer.step(this.#audio, queuedMs);
    return {
      audio: this.#audio,
      isSpeaking: step.speechSamples > 0,
      speechMs: (step.speechSamples * 1000) / this.sampleRateHz,
      segmentId: step.segmentId,
      positionMs: step.positionMs,
      events: step.events,
      frameInput: {
        speech: step.speech,
        isStarved: step.isStarved,
        ...(step.expression && { expression: step.expression }),
      },
    };
  }

  render(input: FrameInput): Promise<I420Frame> {
    return this.#runRenderer(async () => {
      const { parameters, breath } = this.#nextPose(input);
      return this.#avatar.render(parameters, breath, audioOf(input.speech));
    });
  }

  pose(input: FrameInput): FramePose {
    this.#assertOpen();
    const { ticks, starvedTicks } = this.#stats;
    const restore = [this.#mouth.remember(), this.#actor.remember()];
    const pose = this.#nextPose(input);
    this.#takingBack.set(pose, () => {
      for (const restorePart of restore) restorePart();
      Object.assign(this.#stats, { ticks, starvedTicks });
    });
    return pose;
  }

  renderPose({ parameters, breath, input }: FramePose): Promise<I420Frame> {
    return this.#runRenderer(() => this.#avatar.render(parameters, breath, audioOf(input.speech)));
  }

  takeBack(pose: FramePose): void {
    this.#takingBack.get(pose)?.();
    this.#takingBack.delete(pose);
  }

  onCommand(listener: () => void): () => void {
    this.#onCommand.add(listener);
    return () => this.#onCommand.delete(listener);
  }

  skip(input: FrameInput): void {
    this.#assertOpen();
    this.#assertNotRendering();
    this.#pose(input);
    this.#moved(input);
  }

  renderRest(): Promise<I420Frame> {
    return this.#runRenderer(() => this.#avatar.render(this.#actor.still, this.#actor.breath, null));
  }

  async tick(): Promise<EngineTick> {
    const audio = await this.nextAudio();
    const index = this.#stats.ticks;
    try {
      return { ...audio, index, videoFrame: await this.render(audio.frameInput) };
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

  get gesture(): string | null {
    return this.#actor.gesture;
  }

  trigger(gesture: string, atMostMs?: number): boolean {
    const isKnown = this.#actor.trigger(gesture, atMostMs);
    this.#commanded();
    return isKnown;
  }

  stopGesture(): void {
    this.#actor.stopGesture();
    this.#commanded();
  }

  get mood(): Expression {
    return this.#actor.mood;
  }

  express(source: ExpressionSource, expression: Expression | null, atMostMs?: number): void {
    this.#actor.express(source, expression, atMostMs);
    this.#commanded();
  }

  listening(isListening: boolean): void {
    this.#actor.listening(isListening);
    this.#commanded();
  }

  heard(what: HeardOfUser): void {
    this.#actor.heard(what);
    // A phrase that begins moves nothing.
    if (what !== "speech") this.#commanded();
  }

  thinking(isThinking: boolean): void {
    this.#actor.thinking(isThinking);
    this.#commanded();
  }

  #commanded(): void {
    for (const listener of this.#onCommand) listener();
  }

  stats(): EngineStats {
    return { ...this.#stats, droppedSamples: this.#sequencer.droppedSamples };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Waits for calls that still use the network or the avatar. Their errors go to their callers.
    await Promise.allSettled([this.#lipSync, this.#rendering]);
    await this.#network.close();
  }

  #nextPose(input: FrameInput): FramePose {
    // A copy: poses may be made while it is rendered.
    const pose = { parameters: this.#pose(input).slice(), breath: this.#actor.breath, input };
    this.#moved(input);
    return pose;
  }

  /** All face parameters of the next video frame. */
  #pose({ speech, expression }: FrameInput): Float32Array {
    const mouth = speech ? this.#mouth.speak(speech) : this.#mouth.rest();
    return this.#actor.pose(this.#stats.ticks, mouth, speech?.levelDb ?? null, { lips: this.#mouth, expression });
  }

  #moved({ isStarved }: FrameInput): void {
    this.#stats.ticks += 1;
    if (isStarved) this.#stats.starvedTicks += 1;
  }

  async #runRenderer(render: () => Promise<I420Frame>): Promise<I420Frame> {
    this.#assertOpen();
    this.#assertNotRendering();
    const startedMs = performance.now();
    const rendering = render();
    this.#rendering = rendering;
    try {
      const videoFrame = await rendering;
      this.#assertOpen();
      return videoFrame;
    } finally {
      this.#rendering = undefined;
      this.#stats.renderMs += performance.now() - startedMs;
    }
  }

  #assertNotRendering(): void {
    if (this.#rendering) throw new Error("video frames must not overlap: the previous one is still being rendered");
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new Error("the engine is closed");
  }
}

/** The audio around a video frame, for renderers that render the mouth from it. */
function audioOf(speech: SpeechFeatures | null): MouthAudio | null {
  return speech?.audio ? { samples: speech.audio, frameStart: ((AUDIO_HOPS - 1) / 2) * LIP_SYNC_HOP_SAMPLES } : null;
}
