// The face on the flow's stage: a photograph that comes to life in this tab.
import { decodeAudioFile, SAMPLE_RATE_HZ } from "../../sdk/engine/tab/face/decode-audio-file.ts";
import { fetchLipSyncWeights } from "../../sdk/engine/tab/face/lip-sync-weights.ts";
import type { TabFace } from "../../sdk/engine/tab/face/tab-face.ts";
import { type Expression, type ExpressionName, expressionOf, NEUTRAL } from "../../shared/expressions.ts";
import { toFloatSamples } from "../../src/signal/audio/samples.ts";
import type { Stage } from "../shared/stage/stage.ts";

export interface FaceToShow {
  name: string;
  /** Address of its picture; undefined keeps the one that is shown. */
  poster?: string;
  /** Width by height of the face, where it is known before it moves. */
  ratio?: number;
  /** Stands beside its name while it does nothing. Default: nothing. */
  hint?: string;
  /** Bytes of its `.imx`. */
  bundle: () => Promise<Uint8Array>;
}

/** Shows one face at a time. The latest request wins. */
export class CreateFace {
  readonly #stage: Stage;
  readonly #audio = new AudioContext({ sampleRate: SAMPLE_RATE_HZ });
  #face: TabFace | undefined;
  /** Resolves when the latest face moves, or cannot. */
  #coming: Promise<unknown> | undefined;
  #heard: AudioBufferSourceNode | undefined;
  #hint = "";
  #mood: Expression = NEUTRAL;
  /** Count requests: for faces, and for recordings. */
  #turn = 0;
  #speech = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Whether the face moves. */
  get isAlive(): boolean {
    return this.#face !== undefined;
  }

  /** The canvas on which the face moves, if it does. */
  get canvas(): HTMLCanvasElement | undefined {
    return this.#face && this.#stage.face instanceof HTMLCanvasElement ? this.#stage.face : undefined;
  }

  /** Shows a picture that stays still, in place of the face before. */
  async showPicture(
    poster: string | undefined,
    name: string,
    { ratio, hint = "" }: Pick<FaceToShow, "ratio" | "hint"> = {},
  ): Promise<void> {
    this.#turn += 1;
    this.#hint = hint;
    this.#stage.showPoster(poster, ratio);
    this.#stage.setName(name);
    this.#stage.cover();
    this.#stage.setState("idle", this.#hint);
    await this.#close();
  }

  /** Shows a picture, and then the face that comes to life from it. False if another face was requested meanwhile.
   *  Rejects if it cannot be rendered in this tab; the picture stays. */
  show(face: FaceToShow): Promise<boolean> {
    const coming = this.#open(face);
    this.#coming = coming.catch(() => undefined);
    return coming;
  }

  async #open({ name, poster, ratio, hint = "", bundle }: FaceToShow): Promise<boolean> {
    const turn = ++this.#turn;
    this.#hint = hint;
    this.#stage.cover();
    if (poster !== undefined) this.#stage.showPoster(poster, ratio);
    this.#stage.setName(name);
    this.#stage.setState("waiting", "");
    const closing = this.#close();
    const isStale = () => turn !== this.#turn;
    try {
      const [bytes, { openTabFace }] = await Promise.all([
        bundle(),
        import("../../sdk/engine/tab/face/open-tab-face.ts"),
        closing,
      ]);
      if (isStale()) return false;
      const canvas = document.createElement("canvas");
      const opened = await openTabFace({
        bundle: bytes,
        lipSyncWeights: fetchLipSyncWeights(),
        audio: this.#audio,
        canvas,
        onLevel: () => {
          if (!isStale()) this.#stage.reveal();
        },
        onFailure: () => {
          if (!isStale()) this.#stage.cover();
        },
      });
      if (isStale()) {
        await opened.close();
        return false;
      }
      this.#face = opened;
      opened.express(this.#mood);
      this.#stage.setFace(canvas);
      this.#stage.setRatio(opened.widthPx / opened.heightPx);
      this.#stage.setState("idle", this.#hint);
      return true;
    } catch (error) {
      if (isStale()) return false;
      this.#stage.setState("idle", this.#hint);
      throw error;
    }
  }

  /** Says a recording as soon as the face moves, cutting off what is said; `onSpoken` when all of it was heard. Where
   *  the face cannot move, the recording is only heard. Call it with a press of the visitor: browsers let audio play
   *  only after one. Rejects if the recording cannot be read. */
  async speak(recording: Promise<ArrayBuffer>, onSpoken?: () => void): Promise<void> {
    void this.#audio.resume();
    const turn = this.#turn;
    const speech = ++this.#speech;
    this.clear();
    const [samples] = await Promise.all([recording.then((bytes) => decodeAudioFile(this.#audio, bytes)), this.#coming]);
    if (turn !== this.#turn || speech !== this.#speech) return;
    const end = () => {
      this.#stage.setState("idle", this.#hint);
      onSpoken?.();
    };
    this.#stage.setState("speaking");
    if (this.#face) this.#face.speak(samples, end);
    else this.#play(samples, end);
  }

  /** Plays a gesture of a face that moves. */
  gesture(name: string): void {
    this.#face?.gesture(name);
  }

  /** Shows an expression, also with faces to come; null: none. */
  setMood(emotion: ExpressionName | null): true {
    this.#mood = emotion === null ? NEUTRAL : expressionOf(emotion);
    this.#face?.express(this.#mood);
    return true;
  }

  /** Stops speech at once. */
  clear(): void {
    this.#face?.clear();
    this.#heard?.stop();
    this.#heard = undefined;
    this.#stage.setState("idle", this.#hint);
  }

  /** Ends the face, which stays on the stage as its picture. */
  async close(): Promise<void> {
    this.#turn += 1;
    await this.#close();
  }

  /** Ends the face and its audio. Idempotent. */
  async end(): Promise<void> {
    await this.close();
    if (this.#audio.state !== "closed") await this.#audio.close();
  }

  #play(samples: Int16Array, onEnd: () => void): void {
    const buffer = this.#audio.createBuffer(1, samples.length, this.#audio.sampleRate);
    toFloatSamples(samples, buffer.getChannelData(0));
    const source = new AudioBufferSourceNode(this.#audio, { buffer });
    source.connect(this.#audio.destination);
    source.addEventListener("ended", () => {
      if (source === this.#heard) onEnd();
    });
    this.#heard = source;
    source.start();
  }

  async #close(): Promise<void> {
    this.#heard?.stop();
    this.#heard = undefined;
    const closing = this.#face;
    this.#face = undefined;
    await closing?.close();
  }
}
