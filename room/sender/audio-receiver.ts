// Receives the audio byte streams of the bound sender and passes each to the engine as a segment.
import { type ByteStreamReader, type RemoteParticipant, type Room, RoomEvent } from "@livekit/rtc-node";
import { TOPIC_AUDIO_STREAM } from "../../shared/wire-names.ts";
import type { Engine, SegmentInput } from "../../src/face/engine/engine.ts";
import { PcmDecoder } from "../../src/signal/audio/pcm-decoder.ts";
import type { SenderBinding } from "../participants/sender-binding.ts";
import type { RoomLog } from "../room-log.ts";
import { parseStreamFormat, type StreamFormat } from "./stream-format.ts";

/** Prefix of the ids of segments received from the room. Only these are reported to the sender. */
const ROOM_SEGMENT_PREFIX = "room-";

/** A stream without data for this long, ms, counts as ended. */
const DEFAULT_SILENCE_LIMIT_MS = 10_000;
/** The same for a stream that was superseded or left by its sender. It does not end at once: when streams arrive in
 *  a burst, the next one is announced before the audio of the previous one has been read. */
const SUPERSEDED_SILENCE_LIMIT_MS = 300;
/** Streams that may wait until the server has announced their sender; their audio is kept meanwhile. Anyone may open
 *  streams, so more are closed unread. */
const UNANNOUNCED_LIMIT_STREAMS = 8;

export interface AudioReceiverOptions {
  room: Room;
  binding: SenderBinding;
  engine: { openSegment(...segment: Parameters<Engine["openSegment"]>): SegmentInput };
  logger: RoomLog;
  /** Called for every segment that a stream opens, before any of its audio. */
  onSegment(segmentId: string, senderIdentity: string): void;
  /** Called whenever audio or the end of a segment was passed to the engine. */
  onAudio(): void;
  /** Called for a segment that the engine refuses because its queue is full. It never plays. */
  onSegmentRefused(segmentId: string): void;
  /** Time without data after which a stream counts as ended, ms. Default 10,000. */
  silenceLimitMs?: number;
}

/** How a stream ended: closed by its sender, timed out, failed, or stopped by the end of the session. */
type StreamEnd = "closed" | "silence" | "broken" | "receiver_closed";

interface OpenStream {
  senderIdentity: string;
  /** Audio has arrived. */
  heard(): void;
  /** A new stream has begun, or the sender has left. Data that is still in flight is accepted. */
  supersede(): void;
  end(why: StreamEnd): void;
}

/** Receives from `start()` to `close()`. A new stream from the bound sender supersedes the previous one: the audio that
 *  has arrived still plays, and the new stream queues behind it. Streams of other participants, and streams without
 *  valid attributes, are closed unread. */
export class AudioReceiver {
  readonly #options: AudioReceiverOptions;
  readonly #open = new Set<OpenStream>();
  #segmentCount = 0;
  #unannouncedCount = 0;

  constructor(options: AudioReceiverOptions) {
    this.#options = options;
  }

  start(): void {
    const { room } = this.#options;
    room.registerByteStreamHandler(TOPIC_AUDIO_STREAM, (reader, { identity }) => {
      this.#accept(reader, identity).catch((error) => this.#options.logger.warn({ err: error }, "audio stream failed"));
    });
    room.on(RoomEvent.ParticipantDisconnected, this.#onLeft);
  }

  close(): void {
    const { room } = this.#options;
    room.unregisterByteStreamHandler(TOPIC_AUDIO_STREAM);
    room.off(RoomEvent.ParticipantDisconnected, this.#onLeft);
    for (const stream of this.#open) stream.end("receiver_closed");
  }

  #onLeft = (participant: RemoteParticipant): void => {
    for (const stream of this.#open) if (stream.senderIdentity === participant.identity) stream.supersede();
  };

  async #accept(reader: ByteStreamReader, senderIdentity: string): Promise<void> {
    const { logger } = this.#options;
    if (!(await this.#mayDrive(senderIdentity))) {
      logger.debug({ senderIdentity }, "audio stream of another participant ignored");
      await reader.close();
      return;
    }
    const { format, problem } = parseStreamFormat(reader.info.attributes);
    if (!format) {
      logger.warn({ senderIdentity, problem }, "audio stream refused");
      await reader.close();
      return;
    }
    for (const stream of this.#open) stream.supersede();
    await this.#receive(reader, senderIdentity, format);
  }

  async #mayDrive(senderIdentity: string): Promise<boolean> {
    const { binding } = this.#options;
    if (binding.isBound(senderIdentity)) return true;
    if (this.#unannouncedCount >= UNANNOUNCED_LIMIT_STREAMS) return false;
    this.#unannouncedCount += 1;
    try {
      return await binding.becomesBound(senderIdentity);
    } finally {
      this.#unannouncedCount -= 1;
    }
  }

  async #receive(reader: ByteStreamReader, senderIdentity: string, format: StreamFormat): Promise<void> {
    const { logger, onSegment, onAudio } = this.#options;
    const segmentId = `${ROOM_SEGMENT_PREFIX}${++this.#segmentCount}`;
    onSegment(segmentId, senderIdentity);
    const segment = this.#openSegment(segmentId, format.sampleRateHz);
    if (!segment) {
      await reader.close();
      return;
    }
    const stream = this.#track(reader, segment, senderIdentity);
    const decoder = new PcmDecoder(format.channels);
    try {
      for await (const chunk of reader) {
        stream.heard();
        segment.push(decoder.push(chunk));
        onAudio();
      }
      stream.end("closed");
    } catch (error) {
      // The stream failed because its sender left or the room was closed. Audio that has arrived still plays.
      logger.debug({ segmentId, err: error }, "audio stream failed while reading");
      stream.end("broken");
    }
  }

  #openSegment(segmentId: string, sampleRateHz: number): SegmentInput | undefined {
    const { engine, logger, onSegmentRefused } = this.#options;
    try {
      return engine.openSegment(segmentId, sampleRateHz);
    } catch (error) {
      // Too many segments are waiting. A sender that opens segments without limit must not end the avatar session.
      logger.warn({ segmentId, err: error }, "segment refused");
      onSegmentRefused(segmentId);
      return undefined;
    }
  }

  /** Ends the segment once, on the first of these: end of the stream, timeout, end of the session. */
  #track(reader: ByteStreamReader, segment: SegmentInput, senderIdentity: string): OpenStream {
    const { logger, onAudio, silenceLimitMs = DEFAULT_SILENCE_LIMIT_MS } = this.#options;
    const end = (why: StreamEnd): void => {
      if (!this.#open.delete(stream)) return;
      clearTimeout(silence);
      segment.end();
      onAudio();
      if (why !== "closed") reader.close().catch((error) => logger.debug({ err: error }, "audio stream not closed"));
      logger.debug({ segmentId: segment.segmentId, why }, "audio stream ended");
    };
    let silence = setTimeout(() => end("silence"), silenceLimitMs);
    const stream: OpenStream = {
      senderIdentity,
      heard: () => void silence.refresh(),
      supersede: () => {
        clearTimeout(silence);
        silence = setTimeout(() => end("silence"), Math.min(SUPERSEDED_SILENCE_LIMIT_MS, silenceLimitMs));
      },
      end,
    };
    this.#open.add(stream);
    return stream;
  }
}
