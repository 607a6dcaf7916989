// Text streams that show what the person says, as LiveKit's agents send them: in the person's name, with the track that
// was transcribed. Interim texts of a segment replace each other.
import type { Room } from "@livekit/rtc-node";
import type { Logger } from "../../shared/log.ts";
import {
  ATTRIBUTE_TRANSCRIPTION_FINAL,
  ATTRIBUTE_TRANSCRIPTION_SEGMENT_ID,
  ATTRIBUTE_TRANSCRIPTION_TRACK_ID,
  TOPIC_TRANSCRIPTION,
} from "../../shared/wire-names.ts";

export interface PersonText {
  /** The same for the interim texts and the final one. */
  id: string;
  text: string;
  isFinal: boolean;
}

export interface PersonTranscriptionOptions {
  room: Room;
  /** Of the person. */
  identity(): string | undefined;
  /** Of the person's microphone. */
  trackSid(): string | undefined;
  logger: Logger;
}

export class PersonTranscription {
  readonly #options: PersonTranscriptionOptions;
  /** Texts are sent in order. */
  #sending: Promise<void> = Promise.resolve();

  constructor(options: PersonTranscriptionOptions) {
    this.#options = options;
  }

  /** Sends a text after those before it. Never throws. */
  show(text: PersonText): void {
    this.#sending = this.#sending.then(() => this.#send(text));
  }

  async #send({ id, text, isFinal }: PersonText): Promise<void> {
    const { room, identity, trackSid, logger } = this.#options;
    const sid = trackSid();
    try {
      const writer = await room.localParticipant?.streamText({
        topic: TOPIC_TRANSCRIPTION,
        senderIdentity: identity(),
        attributes: {
          [ATTRIBUTE_TRANSCRIPTION_SEGMENT_ID]: id,
          [ATTRIBUTE_TRANSCRIPTION_FINAL]: String(isFinal),
          ...(sid !== undefined && { [ATTRIBUTE_TRANSCRIPTION_TRACK_ID]: sid }),
        },
      });
      await writer?.write(text);
      await writer?.close();
    } catch (error) {
      // The conversation goes on if a text is lost.
      logger.debug({ err: error }, "transcription not sent");
    }
  }
}
