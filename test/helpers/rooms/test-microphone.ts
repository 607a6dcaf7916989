// The microphone of a user in a room.
import {
  AudioFrame,
  AudioSource,
  LocalAudioTrack,
  type Room,
  TrackPublishOptions,
  TrackSource,
} from "@livekit/rtc-node";
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";

const FRAME_SAMPLES = SPEECH_SAMPLE_RATE_HZ / 50;
/** The queue of a source, ms: audio is sent in real time. */
const QUEUE_MS = 100;

/** Sends at the pace of real time. */
export class TestMicrophone {
  readonly #room: Room;
  readonly #source = new AudioSource(SPEECH_SAMPLE_RATE_HZ, 1, QUEUE_MS);
  #sid = "";

  constructor(room: Room) {
    this.#room = room;
  }

  async publish(): Promise<void> {
    const track = LocalAudioTrack.createAudioTrack("microphone", this.#source);
    const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE, dtx: false });
    this.#sid = (await this.#room.localParticipant!.publishTrack(track, options)).sid!;
  }

  /** Resolves when all but the last 100 ms are sent. */
  async send(samples: Int16Array): Promise<void> {
    for (let at = 0; at + FRAME_SAMPLES <= samples.length; at += FRAME_SAMPLES) {
      const frame = samples.slice(at, at + FRAME_SAMPLES);
      await this.#source.captureFrame(new AudioFrame(frame, SPEECH_SAMPLE_RATE_HZ, 1, FRAME_SAMPLES));
    }
  }

  async unpublish(): Promise<void> {
    await this.#room.localParticipant!.unpublishTrack(this.#sid);
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}
