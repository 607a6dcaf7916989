// Text streams that show what the avatar says, sentence by sentence, as each begins to be heard.
import type { Room } from "@livekit/rtc-node";
import type { Logger } from "../../shared/log.ts";
import {
  ATTRIBUTE_TRANSCRIPTION_FINAL,
  ATTRIBUTE_TRANSCRIPTION_SEGMENT_ID,
  ATTRIBUTE_TRANSCRIPTION_TRACK_ID,
  TOPIC_TRANSCRIPTION,
} from "../../shared/wire-names.ts";
import type { QueuedAudio } from "../playout/heard-events.ts";

export interface CaptionsOptions {
  room: Room;
  /** Of the avatar's audio track now: the SDK publishes it again when it restores a connection. */
  audioTrackSid(): string | undefined;
  /** Called with each sentence as it begins to be heard. */
  onHeard?(sentence: string): void;
  logger: Logger;
}

interface Caption {
  id: string;
  /** Start of the sentence in its segment, ms. */
  startMs: number;
  text: string;
  /** Fires when the sentence begins to be heard; undefined until its first audio is queued. */
  timer: NodeJS.Timeout | undefined;
  isSent: boolean;
}

/** Captions of the segments that the avatar speaks by itself. They follow the audio that is played: a voice that
 *  synthesizes too slowly delays them, too. A sentence that is cut off before it begins is never shown. */
export class Captions {
  readonly #options: CaptionsOptions;
  readonly #segments = new Map<string, Caption[]>();

  constructor(options: CaptionsOptions) {
    this.#options = options;
  }

  /** A sentence begins `startMs` into a segment. Call it before the sentence's audio is passed to the engine. */
  add(segmentId: string, startMs: number, text: string): void {
    const captions = this.#segments.get(segmentId) ?? [];
    this.#segments.set(segmentId, captions);
    captions.push({ id: `${segmentId}-${captions.length + 1}`, startMs, text, timer: undefined, isSent: false });
  }

  /** Audio of a segment is in the playout queue: the sentences that begin in it are shown when it is heard. */
  queued(segmentId: string, { fromMs, untilMs, inMs }: QueuedAudio): void {
    for (const caption of this.#segments.get(segmentId) ?? []) {
      if (caption.timer || caption.startMs >= untilMs) continue;
      const delayMs = inMs + Math.max(0, caption.startMs - fromMs);
      caption.timer = setTimeout(() => void this.#send(caption), delayMs);
    }
  }

  /** A segment is over after `positionMs` of it were heard. Sentences that began before that are shown even if their
   *  timers are late: on a busy machine start and end of a short segment can be reported in the same moment. */
  finished(segmentId: string, positionMs: number): void {
    const captions = this.#segments.get(segmentId) ?? [];
    this.#segments.delete(segmentId);
    for (const caption of captions) {
      clearTimeout(caption.timer);
      if (caption.startMs < positionMs) void this.#send(caption);
    }
  }

  close(): void {
    for (const segmentId of [...this.#segments.keys()]) this.finished(segmentId, 0);
  }

  /** Called once per caption. Never rejects. */
  async #send(caption: Caption): Promise<void> {
    if (caption.isSent) return;
    caption.isSent = true;
    const { room, logger, onHeard } = this.#options;
    onHeard?.(caption.text);
    const audioTrackSid = this.#options.audioTrackSid();
    try {
      await room.localParticipant?.sendText(caption.text, {
        topic: TOPIC_TRANSCRIPTION,
        attributes: {
          [ATTRIBUTE_TRANSCRIPTION_SEGMENT_ID]: caption.id,
          [ATTRIBUTE_TRANSCRIPTION_FINAL]: "true",
          ...(audioTrackSid ? { [ATTRIBUTE_TRANSCRIPTION_TRACK_ID]: audioTrackSid } : {}),
        },
      });
    } catch (error) {
      // The avatar goes on speaking if a caption is lost.
      logger.debug({ err: error }, "caption not sent");
    }
  }
}
