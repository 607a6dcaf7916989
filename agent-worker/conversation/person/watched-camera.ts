// The person's camera as the language model sees it: which image it gets, how long it was watched, and what the
// person is told of both.
import type { Room } from "@livekit/rtc-node";
import type { Logger } from "../../../program/log.ts";
import type { LlmImage } from "../../../src/conversation/llm/llm-turn.ts";
import type { AvatarAttributes } from "../../room/avatar-attributes.ts";
import { PersonCamera } from "./person-camera.ts";
import { WatchedTime } from "./watched-time.ts";

export interface WatchedCameraOptions {
  room: Room;
  attributes: AvatarAttributes | undefined;
  /** How long a camera was watched by earlier processes of the session, s. */
  earlierSeconds: number;
  /** Whether the model takes images now. */
  takesImages(): boolean;
  logger: Logger;
}

export class WatchedCamera {
  readonly #options: WatchedCameraOptions;
  readonly #camera: PersonCamera;
  readonly #time: WatchedTime;
  #isClosed = false;

  constructor(options: WatchedCameraOptions) {
    const { room, earlierSeconds, logger } = options;
    this.#options = options;
    this.#camera = new PersonCamera({ room, onSwitched: () => this.note(), logger });
    this.#time = new WatchedTime({ earlierSeconds });
  }

  /** Follows the room. Once. */
  start(): void {
    this.#camera.start();
  }

  /** How long a camera was watched in this session, s. */
  get watchedSeconds(): number {
    return this.#time.seconds;
  }

  /** Watches this person's camera from now on; undefined: none. */
  follow(identity: string | undefined): void {
    this.#camera.follow(identity);
  }

  /** An image will be needed soon, if the model sees any. */
  prepare(): void {
    if (this.#isWatched) this.#camera.prepare();
  }

  /** See `LookAtPerson`. */
  async look(signal: AbortSignal): Promise<LlmImage | undefined> {
    const jpeg = await this.#camera.still(signal);
    return jpeg && { bytes: jpeg, type: "image/jpeg" };
  }

  /** The camera or the model may be another one: tells the person whether the model sees what the camera shows. */
  note(): void {
    if (this.#isClosed) return;
    this.#time.isWatching = this.#isWatched;
    this.#options.attributes?.showCamera(!this.#camera.isOn ? "off" : this.#isWatched ? "watched" : "unseen");
  }

  /** Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#camera.close();
    this.#time.isWatching = false;
  }

  /** Whether the model sees what the camera shows. */
  get #isWatched(): boolean {
    return this.#camera.isOn && this.#options.takesImages();
  }
}
