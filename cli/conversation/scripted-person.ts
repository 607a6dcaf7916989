// A person of a script in a conversation: joins as a LiveKit client would, with a microphone that is always on, says
// prepared sentences, types, and notes what is seen and heard of the avatar, and when.
import { setTimeout as delay } from "node:timers/promises";
import {
  AudioFrame,
  AudioSource,
  AudioStream,
  LocalAudioTrack,
  type RemoteTrackPublication,
  Room,
  RoomEvent,
  TrackKind,
  TrackPublishOptions,
  TrackSource,
  VideoBufferType,
  VideoStream,
} from "@livekit/rtc-node";
import { SPEECH_SAMPLE_RATE_HZ } from "../../shared/units.ts";
import {
  AGENT_INITIALIZING,
  ATTRIBUTE_AGENT_STATE,
  ATTRIBUTE_TRANSCRIPTION_FINAL,
  ATTRIBUTE_TRANSCRIPTION_SEGMENT_ID,
  TOPIC_CHAT,
  TOPIC_TRANSCRIPTION,
} from "../../shared/wire-names.ts";
import type { I420Frame } from "../../src/signal/image/i420-frame.ts";
import { levelOf, SOUND_LEVEL } from "./sound-level.ts";

/** Rate of the microphone, and of what is heard. */
export const PERSON_RATE_HZ = SPEECH_SAMPLE_RATE_HZ;
const RATE_HZ = PERSON_RATE_HZ;
const BLOCK_MS = 10;
/** The longest wait for the last block of the microphone, ms. */
const LAST_BLOCK_MS = 500;
const BLOCK_SAMPLES = (RATE_HZ * BLOCK_MS) / 1000;
/** What the room sounds like while the person is silent: about −66 dB. */
const NOISE_LEVEL = 16;

export interface SeenFrame {
  frame: I420Frame;
  /** Arrival, ms of `performance.now`. */
  atMs: number;
  /** The frame's own time on the receiver's clock, ms from an unknown origin: free of network jitter. */
  streamMs: number;
}

/** A block of the avatar's audio as it arrived. */
export interface HeardBlock {
  /** Arrival, ms of `performance.now`. */
  atMs: number;
  samples: Int16Array;
  /** Root mean square. */
  level: number;
}

export interface ShownText {
  atMs: number;
  /** Identity of its sender. */
  identity: string;
  segmentId: string;
  text: string;
  isFinal: boolean;
}

export interface ScriptedPersonOptions {
  livekitUrl: string;
  token: string;
  /** Changes what the microphone sends: gets its own block and returns what is sent instead. */
  throughRoom?(own: Int16Array, heard: readonly HeardBlock[]): Int16Array;
  /** False if only audio is received: decoding video costs a tenth of a core. Default true. */
  isWatching?: boolean;
  /** Gets the avatar's video frames. Without it the frames are received and not read. */
  onFrame?(frame: SeenFrame): void;
  /** Gets a text as it grows: what is said so far. `isFinal` comes with the last of it, if it was not cut off. */
  onCaption?(caption: ShownText): void;
  /** Gets the blocks of 10 ms that leave the microphone, at 16 kHz. */
  onSpoken?(samples: Int16Array): void;
  /** Gets the avatar's audio in blocks of 10 ms, at 16 kHz. */
  onHeard?(block: HeardBlock): void;
}

export class ScriptedPerson {
  readonly room = new Room();
  readonly heard: HeardBlock[] = [];
  readonly states: { atMs: number; state: string }[] = [];
  readonly texts: ShownText[] = [];
  readonly #options: ScriptedPersonOptions;
  readonly #source = new AudioSource(RATE_HZ, 1, 100);
  #track: LocalAudioTrack | undefined;
  #queue: Int16Array[] = [];
  #whenSaid: (() => void) | undefined;
  #isClosed = false;
  /** Ends with the microphone. */
  #speaking: Promise<void> | undefined;

  constructor(options: ScriptedPersonOptions) {
    this.#options = options;
  }

  /** Joins and switches the microphone on. */
  async join(): Promise<void> {
    const { livekitUrl, token, isWatching = true } = this.#options;
    this.room
      .on(RoomEvent.TrackSubscribed, (track) => {
        if (track.kind === TrackKind.KIND_AUDIO)
          void this.#listen(new AudioStream(track, { sampleRate: RATE_HZ, numChannels: 1, frameSizeMs: BLOCK_MS }));
        else if (this.#options.onFrame) void this.#watch(new VideoStream(track), this.#options.onFrame);
      })
      // An avatar in a new process comes with its attributes.
      .on(RoomEvent.ParticipantConnected, ({ attributes }) => this.#note(attributes[ATTRIBUTE_AGENT_STATE]))
      .on(RoomEvent.ParticipantAttributesChanged, (changed) => this.#note(changed[ATTRIBUTE_AGENT_STATE]));
    this.room.registerTextStreamHandler(TOPIC_TRANSCRIPTION, async (reader, { identity }) => {
      const attributes = reader.info.attributes ?? {};
      const segmentId = attributes[ATTRIBUTE_TRANSCRIPTION_SEGMENT_ID] ?? "";
      const caption = (isFinal: boolean) => ({ atMs: performance.now(), identity, segmentId, text, isFinal });
      let text = "";
      try {
        for await (const piece of reader) {
          text += piece;
          this.#options.onCaption?.(caption(false));
        }
      } catch {
        // The room was left in the middle of a sentence.
      }
      const whole = caption(attributes[ATTRIBUTE_TRANSCRIPTION_FINAL] === "true");
      this.texts.push(whole);
      this.#options.onCaption?.(whole);
    });
    if (!isWatching) this.room.on(RoomEvent.TrackPublished, subscribeToAudio);
    await this.room.connect(livekitUrl, token, { autoSubscribe: isWatching, dynacast: false });
    for (const { attributes, trackPublications } of this.room.remoteParticipants.values()) {
      this.#note(attributes[ATTRIBUTE_AGENT_STATE]);
      if (!isWatching) for (const publication of trackPublications.values()) subscribeToAudio(publication);
    }
    this.#track = LocalAudioTrack.createAudioTrack("microphone", this.#source);
    await this.room.localParticipant?.publishTrack(
      this.#track,
      new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE, dtx: false }),
    );
    this.#speaking = this.#speakAlways();
  }

  /** Speaks into the microphone in real time. `samples`: mono at 16 kHz. Resolves with the times at which the first and
   *  the last sample left it. */
  async say(samples: Int16Array): Promise<{ startMs: number; endMs: number }> {
    const startMs = performance.now();
    for (let at = 0; at < samples.length; at += BLOCK_SAMPLES) {
      const block = new Int16Array(BLOCK_SAMPLES);
      block.set(samples.subarray(at, at + BLOCK_SAMPLES));
      this.#queue.push(block);
    }
    await new Promise<void>((resolve) => {
      this.#whenSaid = resolve;
    });
    return { startMs, endMs: performance.now() };
  }

  async type(text: string): Promise<void> {
    await this.room.localParticipant?.sendText(text, { topic: TOPIC_CHAT });
  }

  /** What has arrived of the avatar's audio since `sinceMs`, silence included. */
  heardSince(sinceMs: number): HeardBlock[] {
    return this.heard.slice(this.heard.findLastIndex(({ atMs }) => atMs < sinceMs) + 1);
  }

  /** Blocks of sound of the avatar since `sinceMs`. */
  soundSince(sinceMs: number): HeardBlock[] {
    return this.heardSince(sinceMs).filter(({ level }) => level > SOUND_LEVEL);
  }

  /** When the avatar was last heard before now, ms; undefined if it was not. */
  get lastSoundMs(): number | undefined {
    return this.heard.findLast(({ level }) => level > SOUND_LEVEL)?.atMs;
  }

  get state(): string {
    return this.states.at(-1)?.state ?? "";
  }

  /** Whether the avatar takes what is said and typed. It is in the room before, in the state that its token gave it. */
  get isAvatarReady(): boolean {
    return this.state !== "" && this.state !== AGENT_INITIALIZING;
  }

  /** Leaves. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // The library reports a block that is sent while it ends.
    await Promise.race([this.#speaking, delay(LAST_BLOCK_MS)]);
    await this.room.disconnect();
  }

  #note(state: string | undefined): void {
    if (state) this.states.push({ atMs: performance.now(), state });
  }

  async #speakAlways(): Promise<void> {
    const { throughRoom = (own: Int16Array) => own } = this.#options;
    const startMs = performance.now();
    for (let count = 0; !this.#isClosed; count++) {
      const waitMs = startMs + count * BLOCK_MS - performance.now();
      if (waitMs > 1) await delay(waitMs);
      const block = throughRoom(this.#queue.shift() ?? noise(), this.heard);
      if (this.#isClosed) return;
      this.#options.onSpoken?.(block);
      await this.#source.captureFrame(new AudioFrame(block, RATE_HZ, 1, BLOCK_SAMPLES));
      if (this.#queue.length === 0) {
        this.#whenSaid?.();
        this.#whenSaid = undefined;
      }
    }
  }

  async #watch(stream: VideoStream, take: (frame: SeenFrame) => void): Promise<void> {
    for await (const { frame, timestampUs } of stream) {
      const atMs = performance.now();
      const { data, width, height } = frame.type === VideoBufferType.I420 ? frame : frame.convert(VideoBufferType.I420);
      take({ frame: { data, widthPx: width, heightPx: height }, atMs, streamMs: Number(timestampUs) / 1000 });
    }
  }

  async #listen(stream: AudioStream): Promise<void> {
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const block = { atMs: performance.now(), samples: value.data, level: levelOf(value.data) };
      this.heard.push(block);
      this.#options.onHeard?.(block);
    }
  }
}

function subscribeToAudio(publication: RemoteTrackPublication): void {
  if (publication.kind === TrackKind.KIND_AUDIO) publication.setSubscribed(true);
}

function noise(): Int16Array {
  return Int16Array.from({ length: BLOCK_SAMPLES }, () => Math.round((Math.random() * 2 - 1) * NOISE_LEVEL));
}
