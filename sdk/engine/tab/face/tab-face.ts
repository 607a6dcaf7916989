// A face that lives in this tab: it moves, speaks audio, and follows a microphone or a stream.
import type { Expression } from "../../../../shared/expressions.ts";
import type { SegmentInput } from "../../../../src/face/engine/engine.ts";
import { toFloatSamples } from "../../../../src/signal/audio/samples.ts";
import { UserHearing } from "../../../../src/speech/phrases/user-hearing.ts";
import { audioLevel } from "./audio-level.ts";
import { FacePlayer, type PlayerEvents, type SpeechEvents } from "./face-player.ts";
import type { FaceSteps } from "./face-steps.ts";
import { FollowedStream } from "./followed-stream.ts";
import { listenTo } from "./microphone.ts";
import { tapAudio } from "./tap-audio.ts";

export interface TabFaceParts extends PlayerEvents {
  /** Of the frames. */
  widthPx: number;
  heightPx: number;
  /** Names of its gestures. */
  gestures: readonly string[];
  /** The face's from now on. */
  steps: FaceSteps;
  /** Stays the page's, which resumes it when the visitor taps. Runs at the rate of the steps. */
  audio: AudioContext;
  /** Gets the size of the frames. */
  canvas: HTMLCanvasElement;
}

/** Audio that a face follows. */
interface Source {
  close(): void;
}

/** Moves from the moment it is created, without a tap of the visitor. What it is told to say waits until the browser
 *  lets audio play. While the tab is hidden speech stands still, unless the face follows a stream. */
export class TabFace {
  readonly widthPx: number;
  readonly heightPx: number;
  /** Names of its gestures. */
  readonly gestures: readonly string[];
  readonly #parts: TabFaceParts;
  readonly #player: FacePlayer;
  /** What it follows. */
  #source: Source | undefined;
  /** Counts how often it was cleared. */
  #turn = 0;
  #isAsleep = false;
  #closing: Promise<void> | undefined;

  constructor(parts: TabFaceParts) {
    const { canvas, widthPx, heightPx, gestures } = parts;
    this.#parts = parts;
    this.widthPx = canvas.width = widthPx;
    this.heightPx = canvas.height = heightPx;
    this.gestures = gestures;
    this.#player = new FacePlayer(parts);
    this.#player.start();
    document.addEventListener("visibilitychange", this.#followVisibility);
  }

  /** Says mono int16 at the context's rate; `onSpoken` when all of it was heard, not if it is cut off. */
  speak(samples: Int16Array, onSpoken?: () => void): void {
    const segment = this.speech({ onSpoken });
    segment.push(samples);
    segment.end();
  }

  /** The same for audio that arrives in pieces. Default rate: the context's. Throws RangeError for one out of range. */
  speech(events: SpeechEvents = {}, sampleRateHz?: number): SegmentInput {
    return this.#player.speech(events, sampleRateHz);
  }

  /** Follows the microphone with its lips, unheard, until `clear`; `onLevel`: how loud the visitor is, 0 to 1, 50 times
   *  a second. Rejects if the visitor or the browser refuses. */
  async mimic(onLevel?: (level: number) => void): Promise<void> {
    this.clear();
    const segment = this.#player.mimic();
    try {
      await this.#follow(() =>
        listenTo(this.#parts.audio, (samples) => {
          segment.push(samples);
          onLevel?.(audioLevel(samples));
        }),
      );
    } catch (error) {
      segment.end();
      throw error;
    }
  }

  /** Plays the audio of a stream and follows it with the lips, until `clear`. Audio comes about 0.3 s later than it
   *  arrives, together with its frames; in a hidden tab it is played at once. The page must not play it too.
   *  `worklet`: as in `tapAudio`. Rejects if the browser cannot read the stream. */
  followStream(stream: MediaStream, worklet?: URL): Promise<FollowedStream> {
    this.clear();
    return this.#follow(() => FollowedStream.open(stream, this.#parts.audio, this.#player, worklet));
  }

  /** Plays a gesture. False if the face has none of that name. */
  gesture(name: string): boolean {
    return this.#parts.steps.trigger(name);
  }

  /** Shows an expression from now on. */
  express(mood: Expression): void {
    this.#parts.steps.express(mood);
  }

  /** Takes the posture of someone who listens, or leaves it. Idempotent. */
  listening(isListening: boolean): void {
    this.#parts.steps.listening(isListening);
  }

  /** Listens to the user in a stream, a microphone's, which is not played: the face reacts to their phrases. `worklet`:
   *  as in `tapAudio`. Resolves with what ends it. Rejects if the browser cannot read the stream. */
  async hear(stream: MediaStream, worklet?: URL): Promise<() => void> {
    const { audio, steps } = this.#parts;
    const hearing = new UserHearing(audio.sampleRate, { onHeard: (what) => steps.heard(what) });
    const source = audio.createMediaStreamSource(stream);
    const untap = await tapAudio(source, (samples) => hearing.push(toFloatSamples(samples)), worklet);
    const lost = (): void => hearing.lost();
    const [track] = stream.getAudioTracks();
    for (const change of ["ended", "mute"]) track?.addEventListener(change, lost);
    return () => {
      for (const change of ["ended", "mute"]) track?.removeEventListener(change, lost);
      untap();
      lost();
    };
  }

  /** Looks away as someone who thinks, or stops. Idempotent. */
  thinking(isThinking: boolean): void {
    this.#parts.steps.thinking(isThinking);
  }

  /** Stops speech at once, and ends the microphone or the stream. */
  clear(): void {
    this.#turn += 1;
    this.#source?.close();
    this.#source = undefined;
    this.#player.isLive = false;
    this.#player.clear();
  }

  /** Stops moving and releases everything but the canvas and the audio. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    document.removeEventListener("visibilitychange", this.#followVisibility);
    this.clear();
    await this.#player.close();
    await this.#parts.steps.close();
  }

  /** Opens what the face follows; it is closed at once if the face was cleared meanwhile. */
  async #follow<S extends Source>(open: () => Promise<S>): Promise<S> {
    const turn = this.#turn;
    const source = await open();
    if (turn === this.#turn) {
      this.#source = source;
      this.#player.isLive = true;
    } else {
      source.close();
    }
    return source;
  }

  /** Browsers throttle hidden tabs, so audio would come in pieces. */
  #followVisibility = (): void => {
    const { audio } = this.#parts;
    if (document.hidden && !(this.#source instanceof FollowedStream) && audio.state === "running") {
      this.#isAsleep = true;
      void audio.suspend();
    } else if (!document.hidden && this.#isAsleep) {
      this.#isAsleep = false;
      void audio.resume();
    }
  };
}
