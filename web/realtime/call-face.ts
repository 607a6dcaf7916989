// The face beside a call: rendered in this tab from the call's audio.
import { SAMPLE_RATE_HZ } from "../../sdk/engine/tab/face/decode-audio-file.ts";
import { fetchBytes } from "../../sdk/engine/tab/face/fetch-bytes.ts";
import type { FollowedStream } from "../../sdk/engine/tab/face/followed-stream.ts";
import { fetchLipSyncWeights } from "../../sdk/engine/tab/face/lip-sync-weights.ts";
import { openTabFace } from "../../sdk/engine/tab/face/open-tab-face.ts";
import type { TabFace } from "../../sdk/engine/tab/face/tab-face.ts";
import type { SampleFace } from "../shared/sample-faces.ts";
import type { Stage } from "../shared/stage/stage.ts";

export class CallFace {
  readonly #stage: Stage;
  readonly #voice: HTMLAudioElement;
  readonly #audio = new AudioContext({ sampleRate: SAMPLE_RATE_HZ });
  #face: TabFace | undefined;
  #followed: FollowedStream | undefined;
  #stream: MediaStream | undefined;
  /** The caller's, during a call. */
  #microphone: MediaStream | undefined;
  #endHearing: (() => void) | undefined;
  /** Counts what was shown: a face that was chosen later wins. */
  #choice = 0;

  /** `voice` plays a call while there is no face. */
  constructor(stage: Stage, voice: HTMLAudioElement) {
    this.#stage = stage;
    this.#voice = voice;
  }

  /** Call it from a tap: browsers play no audio before one. */
  wake(): void {
    void this.#audio.resume();
  }

  /** Shows an avatar: its picture at once, its face when it moves. It follows a call that goes on. Rejects if the face
   *  cannot be opened; then the picture stays, and `follow` plays the audio without a face. */
  async show(avatar: SampleFace): Promise<void> {
    this.#choice += 1;
    const choice = this.#choice;
    this.#stage.cover();
    this.#stage.setName(avatar.name);
    this.#stage.setDisclosure(true);
    this.#stage.showPoster(avatar.poster);
    const canvas = document.createElement("canvas");
    const face = await openTabFace({
      bundle: await fetchBytes(avatar.bundle),
      lipSyncWeights: fetchLipSyncWeights(),
      audio: this.#audio,
      canvas,
    });
    if (choice !== this.#choice) return face.close();
    const before = this.#face;
    this.#face = face;
    this.#followed = undefined;
    this.#stage.setFace(canvas);
    this.#stage.setRatio(face.widthPx / face.heightPx);
    this.#stage.reveal();
    if (this.#microphone) void this.hear(this.#microphone);
    await before?.close();
    if (this.#stream) await this.#follow(this.#stream);
  }

  /** Plays the audio of a call, and says it with the face if there is one. */
  async follow(stream: MediaStream): Promise<void> {
    this.#stream = stream;
    await this.#follow(stream);
  }

  async #follow(stream: MediaStream): Promise<void> {
    this.#voice.srcObject = null;
    try {
      this.#followed = await this.#face?.followStream(stream);
    } catch {
      // A browser that cannot read the stream can still play it.
    }
    if (!this.#followed && stream === this.#stream) this.#voice.srcObject = stream;
  }

  /** Drops what has arrived and was not heard yet. */
  interrupt(): void {
    this.#followed?.interrupt();
  }

  /** Listens to the caller's microphone until `rest`. */
  async hear(stream: MediaStream): Promise<void> {
    this.#microphone = stream;
    this.#endHearing?.();
    this.#endHearing = undefined;
    const face = this.#face;
    // A browser that cannot read it has a face that nods from time to time.
    const end = await face?.hear(stream).catch(() => undefined);
    if (stream === this.#microphone && face === this.#face) this.#endHearing = end;
    else end?.();
  }

  thinking(isThinking: boolean): void {
    this.#face?.thinking(isThinking);
  }

  listening(isListening: boolean): void {
    this.#face?.listening(isListening);
  }

  /** The call is over. */
  rest(): void {
    this.#stream = undefined;
    this.#microphone = undefined;
    this.#endHearing?.();
    this.#endHearing = undefined;
    this.#followed = undefined;
    this.#voice.srcObject = null;
    this.#face?.clear();
    this.#face?.listening(false);
    this.#face?.thinking(false);
  }
}
