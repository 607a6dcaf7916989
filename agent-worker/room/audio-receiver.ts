// Takes the bound sender's byte streams of speech and hands each to the engine as a segment.
import { type ByteStreamReader, type RemoteParticipant, type Room, RoomEvent } from "@livekit/rtc-node";
import type { Logger } from "../../shared/log.ts";
import { TOPIC_AUDIO_STREAM } from "../../shared/wire-names.ts";
import { PcmDecoder } from "../../src/audio/pcm-decoder.ts";
import type { Engine, SegmentInput } from "../../src/engine/engine.ts";
import type { SenderBinding } from "./sender-binding.ts";
import { parseStreamFormat, type StreamFormat } from "./stream-attributes.ts";

/** Prefix of the segments that come from the room; the sender hears about these and no others. */
export const ROOM_SEGMENT_PREFIX = "room-";

/** A stream that brings nothing for so long has lost its end. */
const DEFAULT_SILENCE_LIMIT_MS = 10_000;

export interface AudioReceiverOptions {
  room: Room;
  binding: SenderBinding;
  engine: Engine;
  logger: Logger;
  /** Told of every segment that a stream opens, before any of its sound. */
  onSegment(segmentId: string, senderIdentity: string): void;
  /** Told of a segment that the engine has no room for: it will never play. */
  onSegmentRefused(segmentId: string): void;
  /** Silence on the wire after which a stream counts as ended, ms. Default 10,000. */
  silenceLimitMs?: number;
}

/** How a stream came to its end. */
type StreamEnd = "closed" | "superseded" | "silence" | "sender_left" | "broken" | "receiver_closed";

interface OpenStream {
  senderIdentity: string;
  end(why: StreamEnd): void;
}

/** Receives from `start()` to `close()`. At most one stream is open at a time: a new one from the bound sender ends the one before
 *  it, which then plays what has arrived. Streams of anyone else, and streams that do not say what they hold, are closed unread. */
export class AudioReceiver {
  readonly #options: AudioReceiverOptions;
  #open: OpenStream | undefined;
  #segmentCount = 0;

  constructor(options: AudioReceiverOptions) {
    this.#options = options;
  }

  start(): void {
    const { room } = this.#options;
    room.registerByteStreamHandler(TOPIC_AUDIO_STREAM, (reader, { identity }) => void this.#accept(reader, identity));
    room.on(RoomEvent.ParticipantDisconnected, this.#onLeft);
  }

  close(): void {
    const { room } = this.#options;
    room.unregisterByteStreamHandler(TOPIC_AUDIO_STREAM);
    room.off(RoomEvent.ParticipantDisconnected, this.#onLeft);
    this.#open?.end("receiver_closed");
  }

  #onLeft = (participant: RemoteParticipant): void => {
    if (this.#open?.senderIdentity === participant.identity) this.#open.end("sender_left");
  };

  async #accept(reader: ByteStreamReader, senderIdentity: string): Promise<void> {
    const { binding, logger } = this.#options;
    if (!binding.isBound(senderIdentity) && !(await binding.becomesBound(senderIdentity))) {
      logger.debug({ senderIdentity }, "audio stream of another participant ignored");
      await reader.close();
      return;
    }
    const format = parseStreamFormat(reader.info.attributes);
    if (typeof format === "string") {
      logger.warn({ senderIdentity, problem: format }, "audio stream refused");
      await reader.close();
      return;
    }
    this.#open?.end("superseded");
    await this.#receive(reader, senderIdentity, format);
  }

  async #receive(reader: ByteStreamReader, senderIdentity: string, format: StreamFormat): Promise<void> {
    const { logger, onSegment } = this.#options;
    const segmentId = `${ROOM_SEGMENT_PREFIX}${++this.#segmentCount}`;
    onSegment(segmentId, senderIdentity);
    const segment = this.#openSegment(segmentId, format.sampleRateHz);
    if (!segment) {
      await reader.close();
      return;
    }
    const stream = this.#track(reader, segment, senderIdentity, segmentId);
    const decoder = new PcmDecoder(format.channels);
    try {
      for await (const chunk of reader) {
        stream.heard();
        segment.push(decoder.push(chunk));
      }
      stream.end("closed");
    } catch (error) {
      // The stream broke off: its sender left, or the room is gone. What has arrived still plays.
      logger.debug({ segmentId, error: String(error) }, "audio stream broken off");
      stream.end("broken");
    }
  }

  #openSegment(segmentId: string, sampleRateHz: number): SegmentInput | undefined {
    const { engine, logger, onSegmentRefused } = this.#options;
    try {
      return engine.openSegment(segmentId, sampleRateHz);
    } catch (error) {
      // Too many segments wait already: a sender that opens them without end must not end the avatar session.
      logger.warn({ segmentId, error: String(error) }, "segment refused");
      onSegmentRefused(segmentId);
      return undefined;
    }
  }

  /** Ends the segment once, whatever comes first: the stream's own end, silence, another stream or the sender's leaving. */
  #track(
    reader: ByteStreamReader,
    segment: SegmentInput,
    senderIdentity: string,
    segmentId: string,
  ): OpenStream & { heard(): void } {
    const { logger, silenceLimitMs = DEFAULT_SILENCE_LIMIT_MS } = this.#options;
    let isEnded = false;
    const end = (why: StreamEnd): void => {
      if (isEnded) return;
      isEnded = true;
      clearTimeout(silence);
      if (this.#open === stream) this.#open = undefined;
      segment.end();
      if (why !== "closed") void reader.close();
      logger.debug({ segmentId, why }, "audio stream ended");
    };
    const silence = setTimeout(() => end("silence"), silenceLimitMs);
    const stream = { senderIdentity, end, heard: () => void silence.refresh() };
    this.#open = stream;
    return stream;
  }
}
