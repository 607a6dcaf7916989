// Ears of a session of an account with a recognition server of its own. The service's ears hear what that server does
// not.
import type { ConversationEars } from "../../src/conversation/conversation-parts.ts";
import type { TranscribeOptions, Transcription } from "../../src/recognition/transcription-client.ts";
import { ProviderHealth, type ProviderHealthOptions } from "./provider-health.ts";

export interface ProviderEarsOptions extends ProviderHealthOptions {
  provider: ConversationEars;
  /** The service's. */
  own: ConversationEars;
}

export class ProviderEars implements ConversationEars {
  readonly #options: ProviderEarsOptions;
  readonly #health: ProviderHealth;

  constructor(options: ProviderEarsOptions) {
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
