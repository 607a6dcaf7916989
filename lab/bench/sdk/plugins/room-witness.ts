// Someone in the room of an agent and its avatar: sees and hears the avatar, and reads the captions of the agent.

import { levelOf, SOUND_LEVEL } from "../../../../cli/conversation/sound-level.ts";
import { AvatarListener } from "../../../../cli/demo/avatar-listener.ts";
import { TOPIC_TRANSCRIPTION } from "../../../../shared/wire-names.ts";

/** Audio that counts as silence only after this long: sentences have pauses. */
const QUIET_MS = 1_000;

export class RoomWitness {
  /** When sound arrived, ms of `performance.now()`. */
  readonly soundsAtMs: number[] = [];
  /** The captions, as long as they were when a piece arrived. */
  readonly captions: { atMs: number; length: number }[] = [];
  readonly #listener: AvatarListener;

  constructor(avatarIdentity: string) {
    this.#listener = new AvatarListener(avatarIdentity, {
      onFrame: () => undefined,
      onAudio: ({ atMs, samples }) => {
        if (levelOf(samples) > SOUND_LEVEL) this.soundsAtMs.push(atMs);
      },
    });
    this.#listener.room.registerTextStreamHandler(TOPIC_TRANSCRIPTION, async (reader) => {
      let length = 0;
      try {
        for await (const piece of reader) {
          length += piece.length;
          this.captions.push({ atMs: performance.now(), length });
        }
      } catch {
        // The room was left in the middle of a sentence.
      }
    });
  }

  join(url: string, token: string): Promise<void> {
    return this.#listener.start(url, token);
  }

  close(): Promise<void> {
    return this.#listener.close();
  }

  firstSoundSince(sinceMs: number): number | undefined {
    return this.soundsAtMs.find((atMs) => atMs > sinceMs);
  }

  lastSoundSince(sinceMs: number): number | undefined {
    return this.soundsAtMs.findLast((atMs) => atMs > sinceMs);
  }

  get isQuiet(): boolean {
    return performance.now() - (this.soundsAtMs.at(-1) ?? Number.NEGATIVE_INFINITY) > QUIET_MS;
  }
}
