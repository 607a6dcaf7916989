// What all conversations of a worker share: speech recognition, the end-of-turn model, and the search for a language
// model. Each loads when the first conversation begins.
import type { Logger } from "../../program/log.ts";
import type { LlmSettings } from "../../src/conversation/llm/request-chat.ts";
import { SpeechRecogniser } from "../../src/speech/recognition/speech-recogniser.ts";
import type { Transcription } from "../../src/speech/recognition/transcription-client.ts";
import type { TurnEndTask } from "../listening/turn-end-messages.ts";
import { TurnEnds } from "../listening/turn-ends.ts";
import type { LlmSource } from "./llm-source.ts";
import type { TranscriptionTask } from "./worker-tasks.ts";

export interface ConversationServicesOptions {
  llm: Pick<LlmSource, "find" | "findAgain">;
  logger: Logger;
}

export class ConversationServices {
  readonly #options: ConversationServicesOptions;
  readonly #stt: SpeechRecogniser;
  readonly #turnEnds: TurnEnds;

  constructor(options: ConversationServicesOptions) {
    this.#options = options;
    const { logger } = options;
    this.#stt = new SpeechRecogniser({ log: logger });
    this.#turnEnds = new TurnEnds({ log: logger });
  }

  /** Loads what a conversation needs, in the background, and finds its language model: null without one.
   *  `withSpeech`: speech recognition and end-of-turn model too. */
  async warmUp(withSpeech: boolean): Promise<LlmSettings | null> {
    if (withSpeech) {
      this.#stt.warmUp();
      this.#turnEnds.warmUp();
    }
    return this.#options.llm.find();
  }

  /** For a conversation in which no model answers. Never rejects. */
  findLanguageModel(): Promise<LlmSettings | null> {
    return this.#options.llm.findAgain();
  }

  /** Writes down what was said. See `SpeechRecogniser.transcribe`. */
  async transcribe(
    { samples, language: expected }: TranscriptionTask,
    owner: string,
    signal?: AbortSignal,
  ): Promise<Transcription> {
    const options = { language: expected, owner, signal };
    const { text, language, meanLogProbability } = await this.#stt.transcribe(samples, options);
    return { text, language: language || undefined, meanLogProbability };
  }

  /** See `TurnEnds.predict`. */
  predictTurnEnd({ samples }: TurnEndTask, owner: string, signal?: AbortSignal): Promise<number> {
    return this.#turnEnds.predict(samples, owner, signal);
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await Promise.all([this.#stt.close(), this.#turnEnds.close()]);
  }
}
