// How a voice comes to the visitor's ear and to the face. While the face shows, the voice goes through the audio
// context, delayed until its frames are there; otherwise it plays by itself, undelayed.
import { FaceError } from "./face-error.ts";
import { pageAudio } from "./page-audio.ts";
import type { TabRenderer } from "./tab-renderer.ts";
import type { Voice } from "./voice.ts";

const WORKLET = new URL("./voice-tap-worklet.js", import.meta.url);

/** From when audio passes until its frame is on the screen: 120 ms of audio that lip sync waits for, and what rendering
 *  and the screen take. What the output device adds by itself need not be added. */
const FRAME_TAKES_S = 0.165;
const LONGEST_DELAY_S = 0.5;
/** Of the two ways, so that none clicks. */
const FADE_S = 0.01;
const CLOCK_EVERY_MS = 200;

export interface VoicePathEvents {
  /** The visitor must tap before anything is heard, or need not any more. */
  onBlocked(isBlocked: boolean): void;
  /** It plays without the face. */
  onError(error: unknown): void;
}

interface Tap {
  source: AudioNode;
  node: AudioWorkletNode;
}

export class VoicePath {
  readonly #voice: Voice;
  readonly #events: VoicePathEvents;
  readonly #context = pageAudio();
  readonly #delay: DelayNode;
  readonly #gain: GainNode;
  #renderer: TabRenderer | undefined;
  #isMuted: boolean;
  #tap: Tap | undefined;
  #clock: ReturnType<typeof setInterval> | undefined;
  #delayS = 0;
  #isUnreadable = false;
  #isClosed = false;

  constructor(voice: Voice, isMuted: boolean, events: VoicePathEvents) {
    this.#voice = voice;
    this.#isMuted = isMuted;
    this.#events = events;
    this.#delay = new DelayNode(this.#context, { maxDelayTime: LONGEST_DELAY_S });
    this.#gain = new GainNode(this.#context, { gain: 0 });
    this.#delay.connect(this.#gain).connect(this.#context.destination);
    voice.onChange = this.#update;
    voice.onBlocked = (isBlocked) => events.onBlocked(isBlocked && this.#context.state !== "running");
    this.#context.addEventListener("statechange", this.#update);
    this.#update();
  }

  /** What renders the face while it shows; undefined while it does not. */
  set renderer(renderer: TabRenderer | undefined) {
    if (renderer === this.#renderer) return;
    this.#untap();
    this.#renderer = renderer;
    this.#update();
  }

  /** Whether only the face is to have the voice. */
  set isMuted(isMuted: boolean) {
    this.#isMuted = isMuted;
    this.#update();
  }

  /** Tries to be heard again; call it from a tap. */
  play(): void {
    this.#update();
  }

  /** Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#untap();
    this.#isClosed = true;
    this.#context.removeEventListener("statechange", this.#update);
    this.#delay.disconnect();
    this.#gain.disconnect();
    this.#voice.close();
  }

  #update = (): void => {
    if (this.#isClosed) return;
    const isRunning = this.#context.state === "running";
    if (isRunning) this.#events.onBlocked(false);
    if (this.#renderer && isRunning && !this.#isUnreadable) void this.#takeUp(this.#renderer);
    else this.#untap();
    this.#play();
  };

  #play(): void {
    const isPlain = this.#tap === undefined;
    this.#gain.gain.setTargetAtTime(isPlain || this.#isMuted ? 0 : 1, this.#context.currentTime, FADE_S);
    this.#voice.setPlain(isPlain, this.#isMuted);
  }

  async #takeUp(renderer: TabRenderer): Promise<void> {
    try {
      await loadVoiceTap(this.#context);
      if (this.#isClosed || renderer !== this.#renderer) return;
      const source = this.#voice.node(this.#context);
      if (source === this.#tap?.source) return;
      this.#untap();
      if (source) this.#connect(source, renderer);
    } catch (error) {
      this.#isUnreadable = true;
      this.#events.onError(error);
    }
    this.#play();
  }

  #connect(source: AudioNode, renderer: TabRenderer): void {
    const options = { numberOfOutputs: 0, channelCount: 1, channelCountMode: "explicit" } as const;
    const node = new AudioWorkletNode(this.#context, "voice-tap", options);
    const { port1, port2 } = new MessageChannel();
    node.port.postMessage(port1, [port1]);
    source.connect(node);
    source.connect(this.#delay);
    this.#tap = { source, node };
    renderer.listen(port2, this.#context.sampleRate);
    this.#setDelay();
    this.#clock = setInterval(() => this.#setDelay(), CLOCK_EVERY_MS);
  }

  /** Delays as far as frames need, and tells the renderer when what passes now is heard. */
  #setDelay(): void {
    const { currentTime, baseLatency, outputLatency } = this.#context;
    const delayS = Math.min(LONGEST_DELAY_S, Math.max(0, FRAME_TAKES_S - (outputLatency || baseLatency || 0)));
    if (Math.abs(delayS - this.#delayS) > FADE_S) {
      this.#delayS = delayS;
      this.#delay.delayTime.value = delayS;
    }
    const { contextTime = 0, performanceTime = 0 } = this.#context.getOutputTimestamp();
    const isKnown = contextTime > 0 && performanceTime > 0;
    const audioS = isKnown ? contextTime : currentTime - (outputLatency || 0);
    const heardAtMs = performance.timeOrigin + (isKnown ? performanceTime : performance.now());
    this.#renderer?.setClock(audioS - this.#delayS, heardAtMs);
  }

  #untap(): void {
    clearInterval(this.#clock);
    const tap = this.#tap;
    if (!tap) return;
    this.#tap = undefined;
    tap.node.port.postMessage(null);
    tap.source.disconnect(tap.node);
    tap.source.disconnect(this.#delay);
    this.#renderer?.silence();
  }
}

const loaded = new WeakMap<AudioContext, Promise<void>>();

/** Loads what gives audio to a face. Done before, it takes no time when the voice begins; it needs no tap. Rejects with
 *  FaceError where the browser runs no worklets, as on pages without https, and where a policy forbids this one. */
export async function loadVoiceTap(context: AudioContext): Promise<void> {
  const loading =
    loaded.get(context) ??
    (context.audioWorklet?.addModule(WORKLET) ?? Promise.reject(new Error("no worklets"))).catch((cause: unknown) => {
      loaded.delete(context);
      throw new FaceError(
        "audio-unreadable",
        "The face cannot read audio here: the page needs https, and its Content-Security-Policy must allow the face's files in script-src.",
        { cause },
      );
    });
  loaded.set(context, loading);
  await loading;
}
