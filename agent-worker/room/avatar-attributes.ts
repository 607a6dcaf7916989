// The attributes with which the avatar tells the participants of its room what it does: `lk.agent.state`, which clients
// of LiveKit's agents show, and `avatar_error`.
import { setTimeout as delay } from "node:timers/promises";
import type { Room } from "@livekit/rtc-node";
import { decodeJwt } from "jose";
import type { Logger } from "../../program/log.ts";
import {
  ATTRIBUTE_AGENT_STATE,
  ATTRIBUTE_AVATAR_ERROR,
  ATTRIBUTE_CAMERA,
  ATTRIBUTE_FOUND_MODEL,
  ATTRIBUTE_MIND,
} from "../../shared/wire-names.ts";

/** A pause between two segments that is shorter than this, ms, is no change of state. */
const PAUSE_MS = 200;
/** Shortest time between two changes of attributes, ms. What changes meanwhile is sent together. */
const INTERVAL_MS = 50;
/** Longest wait for the server's confirmation of an error, ms. */
const CONFIRM_TIMEOUT_MS = 2_000;
/** Time for the server to pass an error on before the avatar leaves, ms. */
const ERROR_DELIVERY_MS = 500;

/** Why an avatar cannot be shown. */
export type AvatarError = "model_not_generated" | "model_failed";

/** What answers in the conversation: a language model, the agent's documents, or those of the product alone. */
export type AnswerSource = "model" | "knowledge" | "documents";

/** What the model sees of the person's camera: it sees it, it takes no images, or the camera is off. */
export type CameraView = "watched" | "unseen" | "off";

export interface AvatarAttributesOptions {
  room: Room;
  /** The avatar's join token. Without the grant `canUpdateOwnMetadata` nothing is sent. */
  livekitToken: string;
  logger: Logger;
}

/** Sets attributes of the local participant. Nothing here throws: the avatar goes on without them. */
export class AvatarAttributes {
  readonly #options: AvatarAttributesOptions;
  readonly #isAllowed: boolean;
  /** Segments that are heard now. */
  readonly #heard = new Set<string>();
  #state = "";
  #camera: CameraView = "off";
  #isThinking = false;
  #pause: NodeJS.Timeout | undefined;
  /** Not sent yet. */
  #changed: Record<string, string> = {};
  #sending: Promise<void> | undefined;
  /** Settles when the server has confirmed what was sent last. */
  #confirmed: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: AvatarAttributesOptions) {
    this.#options = options;
    this.#isAllowed = mayUpdateAttributes(options.livekitToken);
  }

  /** The avatar takes what is said and typed. */
  ready(): void {
    // It may speak already.
    if (this.#state === "") this.#enter("listening");
  }

  /** The first audio of a segment is heard. */
  started(segmentId: string): void {
    this.#heard.add(segmentId);
    clearTimeout(this.#pause);
    this.#enter("speaking");
  }

  /** A segment is over. */
  finished(segmentId: string): void {
    if (!this.#heard.delete(segmentId) || this.#heard.size > 0) return;
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#enter(this.#isThinking ? "thinking" : "listening"), PAUSE_MS);
  }

  /** The avatar thinks about an answer, or does not any more. Speech counts more. */
  thinks(isThinking: boolean): void {
    this.#isThinking = isThinking;
    if (this.#heard.size > 0) return;
    clearTimeout(this.#pause);
    this.#enter(isThinking ? "thinking" : "listening");
  }

  /** Gives the avatar the name of its agent, unless its join token has named it. */
  async showName(name: string): Promise<void> {
    const { room, logger } = this.#options;
    if (!this.#isAllowed || name === "" || room.localParticipant?.name) return;
    try {
      await room.localParticipant?.updateName(name);
    } catch (error) {
      logger.debug({ err: error }, "name not set");
    }
  }

  /** Tells what answers in the conversation. `foundName`: of a model that was found meanwhile. */
  showLlm(source: AnswerSource, foundName = ""): void {
    if (this.#isAllowed) void this.#set({ [ATTRIBUTE_MIND]: source, [ATTRIBUTE_FOUND_MODEL]: foundName });
  }

  /** Tells whether the model sees what the person's camera shows. */
  showCamera(view: CameraView): void {
    if (!this.#isAllowed || view === this.#camera) return;
    this.#camera = view;
    void this.#set({ [ATTRIBUTE_CAMERA]: view });
  }

  /** Tells why the avatar will leave; resolves when others have had the time to read it. */
  async fail(error: AvatarError): Promise<void> {
    if (!this.#isAllowed) return;
    await this.#set({ [ATTRIBUTE_AVATAR_ERROR]: error });
    await Promise.race([this.#confirmed, delay(CONFIRM_TIMEOUT_MS)]);
    await delay(ERROR_DELIVERY_MS);
  }

  /** Stops; the attributes stay as they are. Idempotent. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#pause);
  }

  #enter(state: "listening" | "thinking" | "speaking"): void {
    if (this.#isClosed || !this.#isAllowed || state === this.#state) return;
    this.#state = state;
    void this.#set({ [ATTRIBUTE_AGENT_STATE]: state });
  }

  #set(attributes: Record<string, string>): Promise<void> {
    Object.assign(this.#changed, attributes);
    this.#sending ??= this.#send();
    return this.#sending;
  }

  /** Waits for no confirmation: the server takes changes in the order in which they were sent, and a state that waited
   *  for the one before could be over by then. */
  async #send(): Promise<void> {
    while (Object.keys(this.#changed).length > 0) {
      const changed = this.#changed;
      this.#changed = {};
      this.#confirmed = this.#confirm(changed);
      await delay(INTERVAL_MS);
    }
    this.#sending = undefined;
  }

  async #confirm(changed: Record<string, string>): Promise<void> {
    const { room, logger } = this.#options;
    try {
      await room.localParticipant?.setAttributes(changed);
    } catch (error) {
      logger.debug({ err: error }, "attribute not set");
    }
  }
}

/** Whether a join token allows its participant to set attributes. The server checks it again. */
function mayUpdateAttributes(livekitToken: string): boolean {
  try {
    const { video } = decodeJwt<{ video?: { canUpdateOwnMetadata?: boolean } }>(livekitToken);
    return video?.canUpdateOwnMetadata === true;
  } catch {
    return false;
  }
}
