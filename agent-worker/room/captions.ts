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
  /** Where the sentence begins in its segment, ms. */
  startMs: number;
  text: string;
}

interface CaptionedSegment {
  captions: Caption[];
  heardSinceMs: number | undefined;
  timers: NodeJS.Timeout[];
}

/** Captions of the segments that the avatar speaks by itself. A sentence that is cut off before it begins is never shown. */
export class Captions {
  readonly #options: CaptionsOptions;
  readonly #segments = new Map<string, CaptionedSegment>();

  constructor(options: CaptionsOptions) {
    this.#options = options;
  }

  /** A sentence of a segment has been handed to the engine; it begins `startMs` into the segment. */
  add(segmentId: string, startMs: number, text: string): void {
    const segment = this.#segments.get(segmentId) ?? { captions: [], heardSinceMs: undefined, timers: [] };
    this.#segments.set(segmentId, segment);
    segment.captions.push({ startMs, text });
    if (segment.heardSinceMs !== undefined) this.#schedule(segmentId, segment, segment.captions.length - 1);
  }

  /** The first sound of a segment is heard. */
  started(segmentId: string): void {
    const segment = this.#segments.get(segmentId);
    if (!segment || segment.heardSinceMs !== undefined) return;
    segment.heardSinceMs = performance.now();
    for (let index = 0; index < segment.captions.length; index++) this.#schedule(segmentId, segment, index);
  }

  /** A segment is over: what it has not said yet stays unsaid. */
  finished(segmentId: string): void {
    for (const timer of this.#segments.get(segmentId)?.timers ?? []) clearTimeout(timer);
    this.#segments.delete(segmentId);
  }

  close(): void {
    for (const segmentId of [...this.#segments.keys()]) this.finished(segmentId);
  }

  #schedule(segmentId: string, segment: CaptionedSegment, index: number): void {
    const { startMs, text } = segment.captions[index];
    const inMs = Math.max(0, segment.heardSinceMs! + startMs - performance.now());
    segment.timers.push(setTimeout(() => void this.#send(`${segmentId}-${index + 1}`, text), inMs));
  }

  async #send(captionId: string, text: string): Promise<void> {
    const { room, audioTrackSid, logger } = this.#options;
    try {
      await room.localParticipant?.sendText(text, {
        topic: TOPIC_TRANSCRIPTION,
        attributes: {
          [ATTRIBUTE_TRANSCRIPTION_SEGMENT_ID]: captionId,
          [ATTRIBUTE_TRANSCRIPTION_FINAL]: "true",
          ...(audioTrackSid ? { [ATTRIBUTE_TRANSCRIPTION_TRACK_ID]: audioTrackSid } : {}),
        },
      });
    } catch (error) {
      // A lost caption is no reason to stop speaking.
      logger.debug({ err: error }, "caption not sent");
    }
  }
}
