// The language model that answers in a conversation. One of the service's own may fail, and another one may be started:
// it is looked for as long as none answers.
import type { Logger } from "../../program/log.ts";
import { isLoopbackHost } from "../../program/outgoing/loopback.ts";
import { LanguageModel } from "../../src/conversation/llm/language-model.ts";
import type { LlmSettings } from "../../src/conversation/llm/request-chat.ts";
import type { ConversationLlm } from "../../src/conversation/turns/conversation-parts.ts";

/** How often a model is looked for, ms: it takes some seconds to start one. */
const INTERVAL_MS = 5_000;

export interface AnsweringModelOptions {
  /** The account's own, which is kept whatever happens; null without one. */
  provider: ConversationLlm | null;
  /** The service's own at the beginning; null without one. */
  settings: LlmSettings | null;
  /** Looks for a model of the service's own. */
  find(): Promise<LlmSettings | null>;
  logger: Logger;
  /** Default 5,000. */
  intervalMs?: number;
}

export class AnsweringModel {
  readonly #options: AnsweringModelOptions;
  #llm: ConversationLlm | null;
  #foundName: string | undefined;
  #onChange: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: AnsweringModelOptions) {
    const { provider, settings } = options;
    this.#options = options;
    this.#llm = provider ?? (settings && new LanguageModel(settings));
  }

  /** The one that answers now; null: none does. */
  get llm(): ConversationLlm | null {
    return this.#llm;
  }

  get isProvider(): boolean {
    return this.#options.provider !== null;
  }

  /** The name of a model on this machine that was found since the beginning, while it answers. */
  get foundName(): string | undefined {
    return this.#foundName;
  }

  /** Looks for a model while there is none, and tells of each change. Once. */
  start(onChange: () => void): void {
    this.#onChange = onChange;
    if (!this.#llm) this.#lookLater();
  }

  /** It has failed to answer. It answers the next turn if its server is still there. */
  failed(): void {
    if (this.isProvider || !this.#llm) return;
    this.#use(null, undefined);
    void this.#look();
  }

  /** Idempotent. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #lookLater(): void {
    const { intervalMs = INTERVAL_MS } = this.#options;
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#look(), intervalMs);
  }

  async #look(): Promise<void> {
    const { find, logger } = this.#options;
    let settings: LlmSettings | null = null;
    try {
      settings = await find();
    } catch (error) {
      logger.debug({ err: error }, "search for a language model failed");
    }
    if (this.#isClosed) return;
    if (!settings) return this.#lookLater();
    logger.info({ model: settings.model }, "language model found");
    const isHere = isLoopbackHost(new URL(settings.baseUrl).hostname);
    this.#use(new LanguageModel(settings), isHere ? settings.model : undefined);
  }

  #use(llm: ConversationLlm | null, foundName: string | undefined): void {
    this.#llm = llm;
    this.#foundName = foundName;
    this.#onChange();
  }
}
