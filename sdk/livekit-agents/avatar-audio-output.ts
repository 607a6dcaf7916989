// The agent's speech, sent to the avatar in its room. Replaces the framework's DataStreamAudioOutput: what is said
// before the avatar has come is kept for it, and no turn waits for an avatar that has left.
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { voice } from "@livekit/agents";
import { type AudioFrame, type ByteStreamWriter, type Room, RoomEvent } from "@livekit/rtc-node";
import { RPC_CLEAR_BUFFER, TOPIC_AUDIO_STREAM } from "../../shared/wire-names.ts";
import { AvatarPresence } from "./avatar-presence.ts";
import { receiveReports } from "./playback-reports.ts";

/** What the avatar's lip sync hears, Hz. */
const SAMPLE_RATE = 16_000;
const DEFAULT_JOIN_LIMIT_MS = 30_000;
const DEFAULT_RETURN_LIMIT_MS = 20_000;
const DEFAULT_SILENCE_LIMIT_MS = 10_000;
/** Audio that is kept meanwhile, for each segment: the rest waits in the voice that makes it. */
const KEPT_SECONDS = 60;
/** Longest wait for reports of segments that an avatar which has returned, or was told to stop, still owes. */
const REPORT_LIMIT_MS = 3_000;
/** Longest wait for the answer to a clear. */
const CLEAR_LIMIT_MS = 2_000;
/** A clear follows the audio that is being sent, but waits no longer for it. */
const ORDER_WAIT_MS = 100;

export interface AvatarAudioOutputOptions {
  room: Room;
  /** Identity of the avatar. */
  avatarIdentity: string;
  /** Longest wait of a segment for the avatar and its video, ms. Default 30,000. */
  joinLimitMs?: number;
  /** How long the avatar may be gone before its segments end, ms. Default 20,000: the avatar awaits its sender as long.
   *  */
  returnLimitMs?: number;
  /** How long a report may be overdue before its segment ends, ms. Default 10,000. */
  silenceLimitMs?: number;
}

/** A stretch of speech that the avatar reports as one. */
interface Segment {
  /** Sends in order: the opening of its stream, its audio, its end. */
  sending: Promise<unknown>;
  writer?: ByteStreamWriter;
  capturedSeconds: number;
  /** When the avatar began to play it, by `Date.now()`. */
  startedAt?: number;
  /** No more of it is sent: it was cleared, or the avatar that it was sent to has left. */
  isStopped: boolean;
  isCleared: boolean;
  /** Ends it if its report does not come. */
  overdue?: NodeJS.Timeout;
  /** It has been finished; what is captured for it after that is dropped. */
  isOver: boolean;
}

/** Sends each segment as a byte stream. Playback begins and ends when the avatar says so; it also ends if the avatar
 *  doesn't answer, or has left and does not come back. */
export class AvatarAudioOutput extends voice.AudioOutput {
  readonly #room: Room;
  readonly #avatarIdentity: string;
  readonly #joinLimitMs: number;
  readonly #returnLimitMs: number;
  readonly #silenceLimitMs: number;
  readonly #presence: AvatarPresence;
  /** Captured segments that are not over, in order. */
  readonly #segments = new Set<Segment>();
  /** Fires `change` when a waiting segment should look again. */
  readonly #changes = new EventTarget();
  #capturing: Segment | undefined;
  /** The end of the last stream: the next one opens after it. */
  #lastStream: Promise<unknown> = Promise.resolve();
  /** Segments that ended here without a report, which may still arrive. */
  #owedReports = 0;
  /** Ends segments that stay without a report. */
  #deadline: NodeJS.Timeout | undefined;
  /** A segment has waited in vain, so that later ones no longer wait. */
  #isGivenUp = false;
  #isClosed = false;
  #stopReceiving: (() => void) | undefined;

  constructor(options: AvatarAudioOutputOptions) {
    super(SAMPLE_RATE, undefined, { pause: false });
    const { room, avatarIdentity } = options;
    this.#room = room;
    this.#avatarIdentity = avatarIdentity;
    this.#joinLimitMs = options.joinLimitMs ?? DEFAULT_JOIN_LIMIT_MS;
    this.#returnLimitMs = options.returnLimitMs ?? DEFAULT_RETURN_LIMIT_MS;
    this.#silenceLimitMs = options.silenceLimitMs ?? DEFAULT_SILENCE_LIMIT_MS;
    room.on(RoomEvent.ConnectionStateChanged, this.#receiveReports);
    room.on(RoomEvent.Disconnected, this.#onRoomLeft);
    this.#receiveReports();
    this.#presence = new AvatarPresence({
      room,
      identity: avatarIdentity,
      onReady: () => this.#onReady(),
      onLeft: () => this.#onLeft(),
    });
  }

  /** Returns when the frame is sent, or at once while the avatar is awaited. */
  override async captureFrame(frame: AudioFrame): Promise<void> {
    await super.captureFrame(frame);
    this.#capturing ??= this.#openSegment(frame);
    const segment = this.#capturing;
    if (segment.isStopped || segment.isOver) return;
    const isWaiting = segment.writer === undefined && segment.capturedSeconds < KEPT_SECONDS;
    segment.capturedSeconds += frame.samplesPerChannel / frame.sampleRate;
    // A copy: the frame may be a view, and belongs to its caller.
    const bytes = new Uint8Array(frame.data.buffer, frame.data.byteOffset, frame.data.byteLength).slice();
    this.#send(segment, async () => {
      if (!segment.isStopped) await segment.writer?.write(bytes);
    });
    if (!isWaiting) await segment.sending;
  }

  override flush(): void {
    super.flush();
    this.#endCapture();
  }

  override abandonOpenSegment(): void {
    super.abandonOpenSegment();
    this.#endCapture();
  }

  override clearBuffer(): void {
    const segments = [...this.#segments].filter(({ isCleared }) => !isCleared);
    for (const segment of segments) {
      segment.isCleared = true;
      segment.isStopped = true;
      if (!segment.writer) this.#finish(segment);
    }
    const sent = segments.filter(({ isOver }) => !isOver);
    if (sent.length > 0) void this.#clearAtAvatar(sent);
  }

  /** Ends what is being played, for the agent. The avatar is told nothing. */
  close(): void {
    this.#isClosed = true;
    this.#finishAll([...this.#segments]);
    clearTimeout(this.#deadline);
    this.#presence.close();
    this.#stopReceiving?.();
    this.#room.off(RoomEvent.ConnectionStateChanged, this.#receiveReports);
    this.#room.off(RoomEvent.Disconnected, this.#onRoomLeft);
  }

  #openSegment({ sampleRate, channels }: AudioFrame): Segment {
    const segment: Segment = {
      sending: this.#lastStream,
      capturedSeconds: 0,
      isStopped: false,
      isCleared: false,
      isOver: false,
    };
    this.#segments.add(segment);
    this.#send(segment, async () => {
      await this.#untilReady(segment);
      if (segment.isOver) return;
      segment.writer = await this.#room.localParticipant?.streamBytes({
        name: `speech-${crypto.randomUUID()}`,
        topic: TOPIC_AUDIO_STREAM,
        destinationIdentities: [this.#avatarIdentity],
        attributes: { sample_rate: String(sampleRate), num_channels: String(channels) },
      });
    });
    return segment;
  }

  #endCapture(): void {
    const segment = this.#capturing;
    if (!segment) return;
    this.#capturing = undefined;
    this.#send(segment, async () => {
      if (!segment.isOver) this.#awaitReport(segment);
      await segment.writer?.close();
    });
    this.#lastStream = segment.sending;
  }

  /** Never rejects. What cannot be sent is the end of its segment, because the avatar would not report it. */
  #send(segment: Segment, step: () => Promise<void>): void {
    segment.sending = segment.sending.then(step).catch((error) => {
      if (segment.isOver || segment.isStopped) return;
      this.logger.warn({ error }, "speech could not be sent to the avatar");
      segment.isStopped = true;
      this.#finish(segment);
    });
  }

  /** Waits for the avatar's video; ends the segment if it does not come. */
  async #untilReady(segment: Segment): Promise<void> {
    const signal = AbortSignal.timeout(this.#isGivenUp ? 0 : this.#joinLimitMs);
    while (!segment.isOver && !this.#presence.isReady) {
      if (this.#isClosed || signal.aborted) {
        if (!this.#isGivenUp) this.logger.error("the avatar is not in the room: what the agent says is not spoken");
        this.#isGivenUp = true;
        this.#finish(segment);
      } else {
        await once(this.#changes, "change", { signal }).catch(() => undefined);
      }
    }
  }

  async #clearAtAvatar(segments: readonly Segment[]): Promise<void> {
    await Promise.race([Promise.all(segments.map(({ sending }) => sending)), delay(ORDER_WAIT_MS)]);
    try {
      await this.#room.localParticipant?.performRpc({
        destinationIdentity: this.#avatarIdentity,
        method: RPC_CLEAR_BUFFER,
        payload: "",
        responseTimeout: CLEAR_LIMIT_MS,
      });
      // It reports each of them.
      await delay(REPORT_LIMIT_MS, undefined, { ref: false });
    } catch (error) {
      this.logger.error({ error }, "the avatar was not told to stop");
    }
    this.#finishAll(segments);
  }

  #receiveReports = (): void => {
    const { isConnected, localParticipant } = this.#room;
    if (!isConnected || !localParticipant) return;
    this.#stopReceiving?.();
    this.#stopReceiving = receiveReports(localParticipant, this.#avatarIdentity, {
      onStarted: () => this.#onStarted(),
      onFinished: (event) => this.#onFinished(event),
    });
  };

  #onStarted(): void {
    const segment = this.#sent().find(({ startedAt }) => startedAt === undefined);
    if (!segment) return;
    // Reports come in order: none of an earlier segment follows.
    this.#owedReports = 0;
    segment.startedAt = Date.now();
    this.onPlaybackStarted(segment.startedAt);
  }

  #onFinished(event: voice.PlaybackFinishedEvent): void {
    const [segment] = this.#sent();
    if (segment?.startedAt === undefined && this.#owedReports > 0) this.#owedReports -= 1;
    else if (segment) this.#finish(segment, event);
  }

  #onReady(): void {
    this.#isGivenUp = false;
    this.#changes.dispatchEvent(new Event("change"));
    this.#awaitReports(REPORT_LIMIT_MS);
  }

  /** Another process may take the avatar over; it reports the segments that were open. */
  #onLeft(): void {
    for (const segment of this.#sent()) segment.isStopped = true;
    this.#awaitReports(this.#returnLimitMs);
  }

  #onRoomLeft = (): void => this.#finishAll([...this.#segments]);

  /** Ends, after a time, segments that were sent to an avatar which has left. */
  #awaitReports(limitMs: number): void {
    clearTimeout(this.#deadline);
    const segments = this.#sent().filter(({ isStopped }) => isStopped);
    if (segments.length > 0) this.#deadline = setTimeout(() => this.#finishAll(segments), limitMs);
  }

  /** The avatar plays what was sent before, and then this. */
  #awaitReport(segment: Segment): void {
    const seconds = this.#sent().reduce((sum, { capturedSeconds }) => sum + capturedSeconds, 0);
    segment.overdue = setTimeout(
      () => {
        this.logger.warn("the avatar does not report what it plays");
        this.#finishAll([segment]);
      },
      seconds * 1000 + this.#silenceLimitMs,
    );
  }

  #sent(): Segment[] {
    return [...this.#segments].filter(({ writer }) => writer !== undefined);
  }

  /** Ends segments without reports. */
  #finishAll(segments: readonly Segment[]): void {
    for (const segment of segments) {
      if (segment.isOver) continue;
      segment.isStopped = true;
      if (segment.writer) this.#owedReports += 1;
      this.#finish(segment);
    }
  }

  /** Without an event: as interrupted, at the position that it must have reached. */
  #finish(segment: Segment, event: voice.PlaybackFinishedEvent = interruptedNow(segment)): void {
    if (!this.#segments.delete(segment)) return;
    segment.isOver = true;
    clearTimeout(segment.overdue);
    this.#changes.dispatchEvent(new Event("change"));
    this.onPlaybackFinished(event);
  }
}

function interruptedNow({ startedAt, capturedSeconds }: Segment): voice.PlaybackFinishedEvent {
  const heardSeconds = startedAt === undefined ? 0 : (Date.now() - startedAt) / 1000;
  return { playbackPosition: Math.min(heardSeconds, capturedSeconds), interrupted: true };
}
