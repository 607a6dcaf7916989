// Puts the engine together: hearing, mouth, acting, drawing and playout behind the interface that everyone uses.
import { HEARING_HOP_SAMPLES, PLAYOUT_SAMPLE_RATE_HZ } from "../../shared/units.ts";
import { Actor } from "../acting/actor.ts";
import type { Avatar, MouthSound } from "../drawing/avatar.ts";
import { HearingNetwork } from "../hearing/hearing-network.ts";
import { type HeardSpeech, HearingStream, SOUND_HOPS } from "../hearing/hearing-stream.ts";
import { MouthShaper } from "../hearing/mouth-shaper.ts";
import type { InferenceRuntime } from "../inference/inference-runtime.ts";
import type { Engine, EngineReadiness, EngineSound, EngineTick, SegmentInput } from "./engine.ts";
import type { EngineStats } from "./engine-stats.ts";
import { hopSamplesAt, Playout } from "./playout.ts";

export interface EngineOptions {
  /** Stays the caller's: `close()` of the engine does not close it. */
  avatar: Avatar;
  runtime: InferenceRuntime;
  /** Bytes of the hearing network. */
  hearingModel: Uint8Array;
  /** Rate of the sound that comes out, Hz. Default 48,000. */
  sampleRateHz?: number;
  /** Whole number; the same seed and sound give the same film. Default 1. */
  seed?: number;
  /** Size of mouth movements: 0 is calm (half), 0.5 a person in conversation, 1 lively (half as much again). Lips close on P, B and M at any
   *  setting. Default 0.5. */
  expressiveness?: number;
  /** 1: sound leaves one tick before its picture, for rooms where transport takes sound longer than pictures. Default 0. */
  soundLeadTicks?: 0 | 1;
  /** Monotonic time, ms, for rooms: sound of a sender that delivers in real time is shortened a little, unheard, while it has fallen
   *  behind. Without it every sample plays, and the same sound gives the same film at any pace. */
  liveClock?: () => number;
}

/** An engine ready for its first tick. Throws RangeError for a rate or expressiveness out of range, Error for an unusable model. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const sampleRateHz = options.sampleRateHz ?? PLAYOUT_SAMPLE_RATE_HZ;
  const audio = new Int16Array(hopSamplesAt(sampleRateHz));
  const mouth = new MouthShaper(options.expressiveness);
  const network = await HearingNetwork.load(options.runtime, options.hearingModel);
  return new AvatarEngine(options, network, mouth, audio, sampleRateHz);
}

class AvatarEngine implements Engine {
  readonly sampleRateHz: number;
  readonly #avatar: Avatar;
  readonly #network: HearingNetwork;
  readonly #mouth: MouthShaper;
  readonly #actor: Actor;
  readonly #playout: Playout;
  readonly #audio: Int16Array;
  readonly #stats: EngineStats = { ticks: 0, starvedTicks: 0, droppedSamples: 0, hearingMs: 0, drawingMs: 0 };
  #running: Promise<EngineTick> | null = null;
  #isClosed = false;

  constructor(
    options: EngineOptions,
    network: HearingNetwork,
    mouth: MouthShaper,
    audio: Int16Array,
    sampleRateHz: number,
  ) {
    this.sampleRateHz = sampleRateHz;
    this.#avatar = options.avatar;
    this.#network = network;
    this.#mouth = mouth;
    this.#audio = audio;
    this.#actor = new Actor({
      seed: options.seed ?? 1,
      restPose: options.avatar.restPose,
      gestures: options.avatar.gestures,
      headMotion: options.avatar.headMotion,
    });
    this.#playout = new Playout(
      new HearingStream(network, { keepsSound: options.avatar.wantsSound }),
      sampleRateHz,
      options.soundLeadTicks ?? 0,
      options.liveClock,
    );
  }

  openSegment(segmentId: string, sampleRateHz: number): SegmentInput {
    this.#assertOpen();
    const segment = this.#playout.open(segmentId, sampleRateHz);
    return {
      segmentId,
      push: (samples, visemes) => this.#playout.push(segment, samples, sampleRateHz, visemes),
      end: () => segment.end(),
    };
  }

  async tick(onSound?: (sound: EngineSound) => void): Promise<EngineTick> {
    this.#assertOpen();
    if (this.#running) throw new Error("a tick is still running: ticks must not overlap");
    this.#running = this.#computeTick(onSound);
    try {
      return await this.#running;
    } finally {
      this.#running = null;
    }
  }

  readiness(): EngineReadiness {
    return this.#playout.readiness();
  }

  clear(): string[] {
    return this.#playout.clear();
  }

  trigger(gesture: string): boolean {
    return this.#actor.trigger(gesture);
  }

  listening(isListening: boolean): void {
    this.#actor.listening(isListening);
  }

  stats(): EngineStats {
    return { ...this.#stats, droppedSamples: this.#playout.droppedSamples };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // A tick in flight still uses the network; its own caller learns how it ended.
    await this.#running?.catch(() => undefined);
    await this.#network.close();
  }

  async #computeTick(onSound?: (sound: EngineSound) => void): Promise<EngineTick> {
    const startedMs = performance.now();
    await this.#playout.hearAhead();
    const heardMs = performance.now();
    const index = this.#stats.ticks;
    const step = this.#playout.step(this.#audio);
    const sound: EngineSound = {
      audio: this.#audio,
      isSpeaking: step.speechSamples > 0,
      speechMs: (step.speechSamples * 1000) / this.sampleRateHz,
      events: step.events,
    };
    onSound?.(sound);
    const mouth = step.heard ? this.#mouth.speak(step.heard) : this.#mouth.rest();
    const pose = this.#actor.pose(index, mouth, step.heard?.levelDb ?? null);
    const videoFrame = await this.#avatar
      .draw(pose, this.#actor.breath, soundOf(step.heard))
      .catch((error: unknown) => {
        // The tick fails and its sound is lost, but each segment still tells its end, once.
        if (!onSound) this.#playout.takeBack(step.events);
        throw error;
      });
    this.#stats.ticks += 1;
    if (step.isStarved) this.#stats.starvedTicks += 1;
    this.#stats.hearingMs += heardMs - startedMs;
    this.#stats.drawingMs += performance.now() - heardMs;
    return { ...sound, index, videoFrame };
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new Error("the engine is closed");
  }
}

/** Sound of a heard picture, for a mouth that is drawn from it. */
function soundOf(heard: HeardSpeech | null): MouthSound | null {
  return heard?.sound ? { samples: heard.sound, pictureStart: ((SOUND_HOPS - 1) / 2) * HEARING_HOP_SAMPLES } : null;
}
