// The face on the page's stage, with what it said last.
import { decodeAudioFile, SAMPLE_RATE_HZ } from "../../sdk/engine/tab/face/decode-audio-file.ts";
import type { Metrics } from "../../sdk/engine/tab/face/face-player.ts";
import { fetchLipSyncWeights } from "../../sdk/engine/tab/face/lip-sync-weights.ts";
import { assertWebAssembly, openTabFace } from "../../sdk/engine/tab/face/open-tab-face.ts";
import { posterOf } from "../../sdk/engine/tab/face/poster-of.ts";
import type { TabFace } from "../../sdk/engine/tab/face/tab-face.ts";
import { type Expression, NEUTRAL } from "../../shared/expressions.ts";
import type { Stage } from "../shared/stage/stage.ts";

/** What was said: mono int16 at SAMPLE_RATE_HZ, and what to call it. */
export interface Recording {
  samples: Int16Array;
  label: string;
}

export interface FaceToOpen {
  name: string;
  /** Address of its picture, if it is known before the file has come. */
  poster?: string;
  bundle: Uint8Array | Promise<Uint8Array>;
}

export interface LocalFaceEvents {
  onMetrics(metrics: Metrics): void;
  /** It no longer moves. */
  onFailure(): void;
  /** Everything was said. */
  onSpoken(): void;
}

/** One face at a time; what is opened later wins. */
export class LocalFace {
  readonly audio = new AudioContext({ sampleRate: SAMPLE_RATE_HZ });
  readonly #stage: Stage;
  readonly #events: LocalFaceEvents;
  #face: TabFace | undefined;
  #opened: { name: string; bundle: Uint8Array } | undefined;
  #recording: Recording | undefined;
  #turn = 0;
  #mood: Expression = NEUTRAL;

  constructor(stage: Stage, events: LocalFaceEvents) {
    this.#stage = stage;
    this.#events = events;
  }

  /** The face that moves; undefined if there is none. */
  get opened(): (Readonly<{ name: string; bundle: Uint8Array }> & Pick<TabFace, "widthPx" | "heightPx">) | undefined {
    const face = this.#face;
    return face && this.#opened && { ...this.#opened, widthPx: face.widthPx, heightPx: face.heightPx };
  }

  /** What was said last. */
  get recording(): Recording | undefined {
    return this.#recording;
  }

  /** Puts a face in the place of the one before, which stays if this one cannot be opened. Resolves to false if another
   *  was opened meanwhile. Rejects with the errors of `openTabFace`. */
  async open({ name, poster, bundle }: FaceToOpen): Promise<boolean> {
    this.#turn += 1;
    const turn = this.#turn;
    const isStale = () => turn !== this.#turn;
    this.clear();
    if (!this.#face) this.#stage.setState("waiting", "Opening");
    if (!this.#face) this.#stage.setName(name);
    if (poster !== undefined && !this.#face) this.#stage.showPoster(poster);
    const canvas = document.createElement("canvas");
    const loaded = Promise.resolve(bundle);
    // Awaited below, unless nothing can be shown.
    loaded.catch(() => undefined);
    try {
      assertWebAssembly();
      const bytes = await loaded;
      const face = await openTabFace({
        bundle: bytes,
        lipSyncWeights: fetchLipSyncWeights(),
        audio: this.audio,
        canvas,
        onMetrics: (metrics) => {
          if (!isStale()) this.#events.onMetrics(metrics);
        },
        onLevel: () => {
          if (!isStale()) this.#stage.reveal();
        },
        onFailure: () => {
          if (!isStale()) this.#fail();
        },
      });
      if (isStale()) {
        await face.close();
        return false;
      }
      const before = this.#face;
      this.#face = face;
      face.express(this.#mood);
      this.#opened = { name, bundle: bytes };
      this.#stage.showPoster(poster ?? (await posterOf(bytes)));
      this.#stage.setFace(canvas);
      this.#stage.setRatio(face.widthPx / face.heightPx);
      this.#stage.setName(name);
      this.#stage.setDisclosure(true);
      await before?.close();
      return true;
    } finally {
      if (!isStale()) this.#stage.setState("idle");
    }
  }

  /** A recording to say later, in place of what was said last. Rejects with the browser's reason if the bytes of the
   *  file are no audio. */
  async keep(file: ArrayBuffer, label: string): Promise<Recording> {
    this.#recording = { samples: await decodeAudioFile(this.audio, file), label };
    return this.#recording;
  }

  /** What was said last belongs to another face. */
  forget(): void {
    this.#recording = undefined;
  }

  /** Says a recording in place of what is being said. */
  say(recording: Recording): void {
    void this.audio.resume();
    this.clear();
    this.#recording = recording;
    if (!this.#face) return;
    this.#stage.setState("speaking");
    this.#face.speak(recording.samples, () => {
      this.#stage.setState("idle");
      this.#events.onSpoken();
    });
  }

  /** Says what the microphone hears, unheard. Rejects with the browser's reason. */
  async mimic(): Promise<void> {
    void this.audio.resume();
    await this.#face?.mimic((level) => this.#stage.setLevel(level));
    if (this.#face) this.#stage.setState("listening", "Follows your voice");
  }

  /** What it shows. */
  get mood(): Expression {
    return this.#mood;
  }

  /** Shows an expression, also with faces to come. */
  express(mood: Expression): void {
    this.#mood = mood;
    this.#face?.express(mood);
  }

  /** Stops all speech. */
  clear(): void {
    this.#face?.clear();
    if (this.#face) this.#stage.setState("idle");
  }

  #fail(): void {
    this.#stage.cover();
    this.#events.onFailure();
  }
}
