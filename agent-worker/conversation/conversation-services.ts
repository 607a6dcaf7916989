// What all conversations of a worker share: the ears, the end-of-turn model, and the search for a language model. Each
// loads when the first conversation begins.
import type { Logger } from "../../shared/log.ts";
import type { MindSettings } from "../../src/mind/request-chat.ts";
import { Ears, type HearOptions } from "../../src/recognition/ears.ts";
import type { Transcription } from "../../src/recognition/transcription-client.ts";
import { type TranscriptionAccess, TranscriptionServer } from "../ears/transcription-server.ts";
import type { TurnEndTask } from "../listening/turn-end-messages.ts";
import { TurnEnds } from "../listening/turn-ends.ts";
import type { SharedParts } from "./conversation-task.ts";
import type { MindSource } from "./mind-source.ts";

export interface ConversationServicesOptions {
  mind: Pick<MindSource, "find">;
  logger: Logger;
}

export class ConversationServices {
  readonly #options: ConversationServicesOptions;
  readonly #ears: Ears;
  readonly #turnEnds: TurnEnds;
  #server: TranscriptionServer | undefined;
  #access: Promise<TranscriptionAccess> | undefined;

  constructor(options: ConversationServicesOptions) {
    this.#options = options;
    const { logger } = options;
    this.#ears = new Ears({ log: logger });
    this.#turnEnds = new TurnEnds({ log: logger });
  }

  /** Loads what a conversation needs, in the background, and tells where it is. */
  async prepare(): Promise<SharedParts> {
    this.#ears.warmUp();
    this.#turnEnds.warmUp();
    this.#access ??= this.#startServer();
    const [ears, mind] = await Promise.all([this.#access, this.#options.mind.find()]);
    return { ears, mind };
  }

  /** Loads what a conversation in this process needs, in the background, and finds its language model: null without
   *  one. `hears`: ears and end-of-turn model too. */
  async warmUp(hears: boolean): Promise<MindSettings | null> {
    if (hears) {
      this.#ears.warmUp();
      this.#turnEnds.warmUp();
    }
    return this.#options.mind.find();
  }

  /** Writes down what was said. See `Ears.hear`. */
  async hear(samples: Int16Array, options: HearOptions): Promise<Transcription> {
    const { text, language, meanLogProbability } = await this.#ears.hear(samples, options);
    return { text, language: language || undefined, meanLogProbability };
  }

  /** See `TurnEnds.predict`. */
  predictTurnEnd({ samples }: TurnEndTask, owner: string): Promise<number> {
    return this.#turnEnds.predict(samples, owner);
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await Promise.all([this.#server?.close(), this.#ears.close(), this.#turnEnds.close()]);
    this.#server = undefined;
  }

  async #startServer(): Promise<TranscriptionAccess> {
    this.#server = new TranscriptionServer({ ears: this.#ears, logger: this.#options.logger });
    try {
      return await this.#server.start();
    } catch (error) {
      // The next conversation tries again.
      this.#access = undefined;
      throw error;
    }
  }
}
