// The visitor's microphone and camera: on and off, and what the page shows of them.
import { deviceProblem } from "../shared/device-problem.ts";
import { followLevel } from "../shared/follow-level.ts";
import type { AvatarRoom } from "./avatar-room.ts";
import { cameraNote } from "./conversation-words.ts";
import type { PageView } from "./page-view.ts";
import type { EmbedTexts } from "./texts/load-embed-texts.ts";

export interface OwnDevicesOptions {
  view: PageView;
  /** Undefined while there is none. */
  room: () => AvatarRoom | undefined;
  /** What the avatar does with the camera: its attribute `avatar_camera`. */
  cameraUse: () => string | undefined;
  /** The microphone went on or off. */
  onMicrophone: () => void;
  /** The microphone stays off, for this reason. */
  onMicrophoneProblem: (problem: string) => void;
}

export class OwnDevices {
  readonly #texts: EmbedTexts;
  readonly #options: OwnDevicesOptions;
  #stopLevel: (() => void) | undefined;
  #isMicrophoneOn = false;
  #isCameraOn = false;

  constructor(texts: EmbedTexts, options: OwnDevicesOptions) {
    this.#texts = texts;
    this.#options = options;
  }

  get isMicrophoneOn(): boolean {
    return this.#isMicrophoneOn;
  }

  /** Never rejects. */
  async setMicrophone(isOn: boolean): Promise<void> {
    const { view, room, onMicrophoneProblem } = this.#options;
    void room()?.startAudio();
    try {
      this.showMicrophone((await room()?.setMicrophone(isOn)) ?? null);
      view.composer.showHint("");
    } catch (error) {
      // Refused by the visitor or by the browser; either way it stays off.
      this.showMicrophone(null);
      onMicrophoneProblem(this.#showProblem("microphone", error));
    }
  }

  /** Never rejects. */
  async setCamera(isOn: boolean): Promise<void> {
    const { view, room } = this.#options;
    try {
      this.showCamera((await room()?.setCamera(isOn)) ?? null);
      view.composer.showHint("");
    } catch (error) {
      this.showCamera(null);
      this.#showProblem("camera", error);
    }
  }

  /** Null: it is off. */
  showMicrophone(track: MediaStreamTrack | null): void {
    const { view, onMicrophone } = this.#options;
    this.#stopLevel?.();
    this.#isMicrophoneOn = track !== null;
    view.composer.setMicrophoneOn(this.#isMicrophoneOn);
    this.#stopLevel = track ? followLevel(track, (level) => view.setLevel(level)) : undefined;
    onMicrophone();
  }

  /** Null: it is off. */
  showCamera(track: MediaStreamTrack | null): void {
    this.#isCameraOn = track !== null;
    this.#options.view.showSelf(track);
    this.showCameraNote();
  }

  /** What the avatar does with what it sees. */
  showCameraNote(): void {
    const { view, cameraUse } = this.#options;
    view.showCameraNote(this.#isCameraOn ? cameraNote(this.#texts, cameraUse()) : undefined);
  }

  #showProblem(device: "microphone" | "camera", error: unknown): string {
    const name = error instanceof Error ? error.name : undefined;
    const problem = deviceProblem(device, name, isSecureContext, this.#texts.devices);
    this.#options.view.composer.showHint(problem);
    return problem;
  }
}
