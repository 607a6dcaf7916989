import type { voice } from "@livekit/agents";
import type { AudioFrame, VideoFrame } from "@livekit/rtc-node";

/** Makes video of speech: yours, for an `AvatarRunner`. */
export abstract class VideoGenerator {
  /** Takes speech as it arrives. The runner waits for the promise before it gives the next. */
  abstract pushAudio(frame: AudioFrame | voice.AudioSegmentEnd): void | Promise<void>;

  /** Forgets all audio that was pushed and not given back yet. */
  abstract clearBuffer(): void | Promise<void>;

  /** Gives video and audio in the order in which they belong together, and an `AudioSegmentEnd` behind the audio of
   *  each segment. Video may go on between segments. To be iterated once; the runner paces it. */
  abstract [Symbol.asyncIterator](): AsyncIterator<VideoFrame | AudioFrame | voice.AudioSegmentEnd>;
}
