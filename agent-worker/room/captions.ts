// Text streams that show what the avatar says, sentence by sentence, as each begins to be heard.
import type { Room } from "@livekit/rtc-node";
import type { Logger } from "../../shared/log.ts";
import {
  ATTRIBUTE_TRANSCRIPTION_FINAL,
  ATTRIBUTE_TRANSCRIPTION_SEGMENT_ID,
  ATTRIBUTE_TRANSCRIPTION_TRACK_ID,
  TOPIC_TRANSCRIPTION,
} from "../../shared/wire-names.ts";

export interface CaptionsOptions {
  room: Room;
  audioTrackSid: string | undefined;
  logger: Logger;
}

interface Caption {
  id: string;
  /** Start of the sentence in its segment, ms. */
  startMs: number;
  text: string;
  /** Fires when the sentence begins to be heard. */
  timer: NodeJS.Timeout | undefined;
  isSent: boolean;
}

interface CaptionedSegment {
  captions: Caption[];
  heardSinceMs: number | undefined;
}

/** Captions of the segments that the avatar speaks by itself. A sentence that is cut off before it begins is never
 *  shown. */
export class Captions {
  readonly #options: CaptionsOptions;
  readonly #segments = new Map<string, CaptionedSegment>();

  constructor(options: CaptionsOptions) {
    this.#options = options;
  }

  /** A sentence of a segment has been passed to the engine; it begins `startMs` into the segment. */
  add(segmentId: string, startMs: number, text: string): void {
    const segment = this.#segments.get(segmentId) ?? { captions: [], heardSinceMs: undefined };
    this.#segments.set(segmentId, segment);
    const id = `${segmentId}-${segment.captions.length + 1}`;
    const caption: Caption = { id, startMs, text, timer: undefined, isSent: false };
    segment.captions.push(caption);
    if (segment.heardSinceMs !== undefined) this.#schedule(caption, segment.heardSinceMs);
  }

  /** The first audio of a segment is heard. */
  started(segmentId: string): void {
    const segment = this.#segments.get(segmentId);
    if (!segment || segment.heardSinceMs !== undefined) return;
    segment.heardSinceMs = performance.now();
    for (const caption of segment.captions) this.#schedule(caption, segment.heardSinceMs);
  }

  /** A segment is over after `positionMs` of it were heard. Sentences that began before that are shown even if their
   *  timers are late: on a busy machine start and end of a short segment can be reported in the same moment. */
  finished(segmentId: string, positionMs: number): void {
    const segment = this.#segments.get(segmentId);
    if (!segment) return;
    this.#segments.delete(segmentId);
    for (const caption of segment.captions) {
      clearTimeout(caption.timer);
      if (caption.startMs < positionMs) void this.#send(caption);
    }
  }

  close(): void {
    for (const segmentId of [...this.#segments.keys()]) this.finished(segmentId, 0);
  }

  #schedule(caption: Caption, heardSinceMs: number): void {
    const inMs = heardSinceMs + caption.startMs - performance.now();
    caption.timer = setTimeout(() => void this.#send(caption), Math.max(0, inMs));
  }

  /** Called once per caption. Never rejects. */
  async #send(caption: Caption): Promise<void> {
    if (caption.isSent) return;
    caption.isSent = true;
    const { room, audioTrackSid, logger } = this.#options;
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
