// Speech recognition of a session of an account with a recognition server of its own. The service's own takes over
// while that server fails.
import type { ConversationStt } from "../../src/conversation/turns/conversation-parts.ts";
import type { TranscribeOptions, Transcription } from "../../src/speech/recognition/transcription-client.ts";
import { ProviderHealth, type ProviderHealthOptions } from "./provider-health.ts";

export interface ProviderSttOptions extends ProviderHealthOptions {
  provider: ConversationStt;
  /** The service's. */
  own: ConversationStt;
}

export class ProviderStt implements ConversationStt {
  readonly #options: ProviderSttOptions;
  readonly #health: ProviderHealth;

  constructor(options: ProviderSttOptions) {
    this.#options = options;
    this.#health = new ProviderHealth(options);
  }

  async transcribe(samples: Int16Array, options: TranscribeOptions): Promise<Transcription> {
    const { provider, own } = this.#options;
    if (this.#health.isUsable) {
      try {
        return await provider.transcribe(samples, options);
      } catch (error) {
        options.signal?.throwIfAborted();
        this.#health.failed(error);
      }
    }
    return own.transcribe(samples, options);
  }
}
