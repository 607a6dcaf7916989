// Our own turn logic with the microphone's speech detector.
import { Conversation } from "../../src/conversation/turns/conversation.ts";
import { SpeechDetector } from "../listening/speech-detector.ts";
import type { TurnLeader } from "./turn-leader.ts";

export class LocalTurns extends Conversation implements TurnLeader {
  readonly #detector = new SpeechDetector({ onWindow: (window) => this.push(window) });

  pushAudio(samples: Int16Array): void {
    this.#detector.push(samples);
  }

  override microphoneLost(): void {
    this.#detector.reset();
    super.microphoneLost();
  }

  override async close(): Promise<void> {
    this.#detector.close();
    await super.close();
  }
}
