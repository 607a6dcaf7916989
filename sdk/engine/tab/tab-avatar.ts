// An opened avatar in a tab: a worker renders it, the page plays and shows it.
import { EngineError } from "../../../shared/engine-error.ts";
import { HOP_MS, PLAYOUT_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import type { SegmentInput } from "../../../src/face/engine/engine.ts";
import type { PcmAudio } from "../../../src/signal/audio/wav.ts";
import type {
  Avatar,
  BundleSource,
  FrameFormat,
  OpenOptions,
  RenderedStep,
  Rendering,
  RenderOptions,
  ShowOptions,
  SpeakOptions,
} from "../avatar.ts";
import { abortable } from "../core/abortable.ts";
import { createRendering } from "../core/rendering.ts";
import { type SpeechReader, speechPieces } from "../core/speech-pieces.ts";
import type { Speech } from "../speech.ts";
import { preferredManner } from "./face/preferred-manner.ts";
import { TabFace } from "./face/tab-face.ts";
import type { OpenedInfo } from "./render/render-messages.ts";
import { renderedSteps } from "./render/rendered-steps.ts";
import { WorkerLink } from "./render/worker-link.ts";
import { WorkerSteps } from "./render/worker-steps.ts";
import { assetUrl } from "./start-worker.ts";
import { tabSpeech } from "./tab-speech.ts";

/** Audio that is read ahead of what is heard. */
const AHEAD_MS = 3000;

/** Opens an avatar. */
export async function openInTab(bundle: BundleSource, { signal, assets }: OpenOptions): Promise<Avatar> {
  signal?.throwIfAborted();
  const link = new WorkerLink(assets);
  try {
    const info = await abortable(link.call({ name: "open", bundle: toMessage(bundle) }), signal);
    return new TabAvatar(link, info, assets === undefined ? undefined : assetUrl("audio-tap-worklet.js", assets));
  } catch (error) {
    link.close(closedError());
    throw error;
  }
}

function toMessage(bundle: BundleSource): string | Uint8Array | Blob {
  if (typeof bundle === "string" || bundle instanceof URL) return new URL(bundle, document.baseURI).href;
  return bundle instanceof ArrayBuffer ? new Uint8Array(bundle) : bundle;
}

class TabAvatar implements Avatar {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly gestures: readonly string[];
  readonly poster: Uint8Array<ArrayBuffer>;
  readonly #link: WorkerLink;
  readonly #audioTap: URL | undefined;
  readonly #speech: SpeechReader;
  #face: TabFace | undefined;
  #audio: AudioContext | undefined;
  #ownAudio: AudioContext | undefined;
  #isShowing = false;
  /** Ends what speaks now. */
  #stopping = new AbortController();
  /** Why the face stands still. */
  #failure: EngineError | undefined;

  constructor(link: WorkerLink, { widthPx, heightPx, gestures, poster }: OpenedInfo, audioTap: URL | undefined) {
    this.widthPx = widthPx;
    this.heightPx = heightPx;
    this.gestures = gestures;
    this.poster = poster;
    this.#link = link;
    this.#audioTap = audioTap;
    this.#speech = tabSpeech(audioTap);
  }

  render<Format extends FrameFormat = "i420">(speech: Speech, options: RenderOptions<Format> = {}): Rendering<Format> {
    return createRendering({
      steps: () =>
        renderedSteps(this.#link, speechPieces(speech, this.#speech, options.signal), options) as AsyncGenerator<
          RenderedStep<Format>
        >,
      toFile: async () => {
        throw new EngineError("unavailable", "toFile() writes to a disk, which a tab cannot. It is for Node.");
      },
    });
  }

  async show(canvas: HTMLCanvasElement, { audio, ...motion }: ShowOptions = {}): Promise<void> {
    if (this.#isShowing)
      throw new EngineError("invalid-input", "The face is on a canvas already. Open the file again for a second one.");
    this.#isShowing = true;
    try {
      if (!audio) this.#ownAudio = new AudioContext({ sampleRate: PLAYOUT_SAMPLE_RATE_HZ });
      this.#audio = audio ?? this.#ownAudio!;
      if (this.#audio.sampleRate !== PLAYOUT_SAMPLE_RATE_HZ) {
        throw new RangeError(`the AudioContext must run at ${PLAYOUT_SAMPLE_RATE_HZ} Hz`);
      }
      const steps = await WorkerSteps.open(this.#link, this.gestures, {
        ...motion,
        manner: motion.manner ?? preferredManner(),
      });
      const { widthPx, heightPx, gestures } = this;
      await new Promise<void>((resolve, reject) => {
        this.#face = new TabFace({
          widthPx,
          heightPx,
          gestures,
          steps,
          canvas,
          audio: this.#audio!,
          onLevel: () => resolve(),
          onFailure: () => {
            this.#failure = new EngineError(
              "program-failed",
              "The face cannot be shown any more. Open the file again.",
            );
            reject(this.#failure);
            this.#face?.clear();
          },
        });
      });
    } catch (error) {
      this.#isShowing = false;
      await this.#ownAudio?.close().catch(() => undefined);
      this.#ownAudio = undefined;
      throw error;
    }
  }

  async speak(speech: Speech, { signal }: SpeakOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    const face = this.#shownFace();
    const stopped = this.#stopping.signal;
    const ended = signal ? AbortSignal.any([signal, stopped]) : stopped;
    const cut = () => face.clear();
    signal?.addEventListener("abort", cut, { once: true });
    // Only a tap of the visitor lets some browsers play audio; until then it waits.
    if (this.#audio!.state !== "running") void this.#audio!.resume();
    try {
      const speaking = isTrack(speech)
        ? follow(face, speech, this.#audioTap)
        : say(face, speechPieces(speech, this.#speech, ended), ended);
      await abortable(speaking, ended);
    } finally {
      signal?.removeEventListener("abort", cut);
    }
  }

  gesture(name: string): boolean {
    return this.#shownFace().gesture(name);
  }

  stop(): void {
    this.#stop(new DOMException("The speech was stopped.", "AbortError"));
  }

  async close(): Promise<void> {
    this.#failure ??= closedError();
    this.#stop(this.#failure);
    const closing = this.#face?.close();
    this.#link.close(closedError());
    await closing;
    await this.#ownAudio?.close().catch(() => undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #shownFace(): TabFace {
    if (this.#failure) throw this.#failure;
    if (!this.#face) throw new EngineError("invalid-input", "Call show(canvas) first.");
    return this.#face;
  }

  /** What speaks ends with `reason`. */
  #stop(reason: Error): void {
    this.#stopping.abort(reason);
    this.#stopping = new AbortController();
    this.#face?.clear();
  }
}

/** Resolves when the track has ended, or when the face follows it no more. */
async function follow(face: TabFace, track: MediaStreamTrack, worklet: URL | undefined): Promise<void> {
  const followed = await face.followStream(new MediaStream([track]), worklet);
  if (track.readyState === "ended") followed.close();
  track.addEventListener("ended", () => followed.close(), { once: true });
  await followed.closed;
}

/** Resolves when all of it was heard; never once `ended` has aborted. */
async function say(face: TabFace, pieces: AsyncIterable<PcmAudio>, ended: AbortSignal): Promise<void> {
  let wake = (): void => undefined;
  let pushedMs = 0;
  let playedMs = 0;
  let onSpoken = (): void => undefined;
  const spoken = new Promise<void>((resolve) => {
    onSpoken = resolve;
  });
  const onPlayed = () => {
    playedMs += HOP_MS;
    wake();
  };
  ended.addEventListener("abort", () => wake(), { once: true });
  let segment: SegmentInput | undefined;
  for await (const { samples, sampleRateHz } of pieces) {
    ended.throwIfAborted();
    if (samples.length === 0) continue;
    segment ??= face.speech({ onSpoken, onPlayed }, sampleRateHz);
    segment.push(samples);
    pushedMs += (1000 * samples.length) / sampleRateHz;
    while (pushedMs - playedMs > AHEAD_MS && !ended.aborted) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    ended.throwIfAborted();
  }
  if (!segment) throw new EngineError("invalid-input", "The recording is empty: it has no audio.");
  segment.end();
  await spoken;
}

function isTrack(speech: Speech): speech is MediaStreamTrack {
  return typeof MediaStreamTrack !== "undefined" && speech instanceof MediaStreamTrack;
}

function closedError(): EngineError {
  return new EngineError("unavailable", "The avatar is closed.");
}
