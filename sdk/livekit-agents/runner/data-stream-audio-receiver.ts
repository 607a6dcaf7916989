// Receives the speech of an agent that sends it as byte streams, with `DataStreamAudioOutput` or an avatar session.
import { voice } from "@livekit/agents";
import { AudioFrame, type Room } from "@livekit/rtc-node";
import { SenderBinding } from "../../../room/participants/sender-binding.ts";
import { answerClearBuffer } from "../../../room/sender/answer-clear-buffer.ts";
import { AudioReceiver as StreamReceiver } from "../../../room/sender/audio-receiver.ts";
import { PlaybackReporter } from "../../../room/sender/playback-reporter.ts";
import { agentLog } from "../agent-log.ts";
import { AudioReceiver } from "./audio-receiver.ts";
import { ReceivedSegment } from "./received-segment.ts";

const DEFAULT_FRAME_SIZE_MS = 100;
/** Segments that wait to be read. */
const MOST_SEGMENTS = 256;
/** Audio of all of them: twenty minutes at 24 kHz, in 58 MB. */
const MOST_SAMPLES = 20 * 60 * 24_000;

export interface DataStreamAudioReceiverOptions {
  /** Who sends. Default: the participant that the avatar's join token names in `lk.publish_on_behalf`, else the first
   *  agent in the room. */
  senderIdentity?: string;
  /** Length of the frames, ms; the last of a segment may be shorter. Default 100. */
  frameSizeMs?: number;
}

/** A segment that is being played, or waits for its report. */
interface Awaited {
  segmentId: string;
  isStarted: boolean;
  isCut: boolean;
}

export class DataStreamAudioReceiver extends AudioReceiver {
  readonly #room: Room;
  readonly #options: DataStreamAudioReceiverOptions;
  /** Segments that are not read to their end, oldest first. */
  #segments: ReceivedSegment[] = [];
  /** Segments that were begun to be read, or were cut, and are not reported as finished. */
  readonly #awaited: Awaited[] = [];
  #parts: { binding: SenderBinding; receiver: StreamReceiver; reporter: PlaybackReporter } | undefined;
  #wake: () => void = () => undefined;
  #isClosed = false;

  constructor(room: Room, options: DataStreamAudioReceiverOptions = {}) {
    super();
    this.#room = room;
    this.#options = options;
  }

  /** Begins to receive. The room is connected; the sender may come later. */
  override async start(): Promise<void> {
    const room = this.#room;
    if (!room.isConnected) throw new Error("Connect the room before its audio receiver is started.");
    const logger = agentLog();
    const binding = new SenderBinding(room, this.#options.senderIdentity);
    const reporter = new PlaybackReporter({ room, logger });
    const receiver = new StreamReceiver({
      room,
      binding,
      engine: { openSegment: (segmentId, sampleRateHz) => this.#open(segmentId, sampleRateHz) },
      logger,
      onSegment: (segmentId, senderIdentity) => reporter.open(segmentId, senderIdentity),
      onAudio: () => this.#wake(),
      onSegmentRefused: (segmentId) => reporter.finished(segmentId, { positionMs: 0, interrupted: true }),
    });
    this.#parts = { binding, receiver, reporter };
    binding.start();
    reporter.start();
    answerClearBuffer({ room, binding, clear: () => this.#clear() });
    receiver.start();
  }

  override notifyPlaybackStarted(): void {
    const segment = this.#awaited.find(({ isStarted }) => !isStarted);
    if (!segment) return;
    segment.isStarted = true;
    this.#parts?.reporter.started(segment.segmentId);
  }

  override notifyPlaybackFinished(playbackPosition: number, interrupted: boolean): void {
    const segment = this.#awaited.shift();
    if (segment) this.#report(segment.segmentId, playbackPosition, interrupted);
    while (this.#awaited[0]?.isCut) this.#report(this.#awaited.shift()!.segmentId, 0, true);
  }

  override async *[Symbol.asyncIterator](): AsyncGenerator<AudioFrame | voice.AudioSegmentEnd, void> {
    while (!this.#isClosed) {
      const item = this.#next();
      if (item) yield item;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  override async aclose(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#parts?.receiver.close();
    this.#wake();
    await this.#parts?.reporter.close();
    this.#parts?.binding.close();
  }

  #open(segmentId: string, sampleRateHz: number): ReceivedSegment {
    if (this.#segments.length >= MOST_SEGMENTS) throw new RangeError(`${MOST_SEGMENTS} segments are waiting`);
    const segment = new ReceivedSegment(
      segmentId,
      sampleRateHz,
      (samples) => this.#waiting() + samples <= MOST_SAMPLES,
    );
    this.#segments.push(segment);
    return segment;
  }

  #waiting(): number {
    return this.#segments.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  #next(): AudioFrame | voice.AudioSegmentEnd | undefined {
    for (;;) {
      const [segment] = this.#segments;
      if (!segment) return undefined;
      const samples = segment.take(this.#options.frameSizeMs ?? DEFAULT_FRAME_SIZE_MS);
      if (samples) {
        if (!segment.isRead) this.#awaited.push({ segmentId: segment.segmentId, isStarted: false, isCut: false });
        segment.isRead = true;
        return new AudioFrame(samples, segment.sampleRateHz, 1, samples.length);
      }
      if (!segment.isEnded) return undefined;
      this.#segments.shift();
      if (segment.isRead) return new voice.AudioSegmentEnd();
      this.#report(segment.segmentId, 0, false);
    }
  }

  #clear(): void {
    const isPlaying = this.#awaited.length > 0;
    for (const segment of this.#awaited) segment.isCut = true;
    for (const segment of this.#segments) {
      segment.cut();
      const { segmentId, isRead } = segment;
      if (isRead) continue;
      // Reports keep their order.
      if (isPlaying) this.#awaited.push({ segmentId, isStarted: true, isCut: true });
      else this.#report(segmentId, 0, true);
    }
    this.#segments = [];
    this.emit("clear_buffer");
  }

  #report(segmentId: string, positionS: number, interrupted: boolean): void {
    this.#parts?.reporter.finished(segmentId, { positionMs: positionS * 1000, interrupted });
  }
}
