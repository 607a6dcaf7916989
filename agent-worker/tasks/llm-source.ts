// Which language model answers in conversations: the configured server, else one that runs on this machine.
import type { Config } from "../../program/config.ts";
import { isLoopbackHost } from "../../program/outgoing/loopback.ts";
import { findChatModel, findLocalServer, isAnswering } from "../../src/conversation/llm/find-local-server.ts";
import type { LlmSettings } from "../../src/conversation/llm/request-chat.ts";

/** A server that was found is believed in for this long, ms; one that is missing is looked for again each time. */
const FRESH_MS = 30_000;

/** A search that found none counts for all conversations for this long, ms. */
const SEARCH_AGAIN_MS = 2_000;

const UNNAMED_MODEL = "default";

export interface LlmSourceOptions {
  settings: Config["languageModel"];
  /** The address that the service listens on: a model is looked for on a machine that is open to itself alone. */
  host: string;
  /** Ports of this machine where the service itself listens. */
  ownPorts: readonly number[];
  /** Monotonic time, ms. Default `performance.now`. */
  now?: () => number;
}

export class LlmSource {
  readonly #options: LlmSourceOptions;
  readonly #now: () => number;
  /** In progress. */
  #search: Promise<LlmSettings | null> | undefined;
  #missingAtMs: number | undefined;
  #found: { settings: LlmSettings; atMs: number } | undefined;

  constructor(options: LlmSourceOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The model for a conversation that begins; null if there is none. Never rejects. */
  async find(): Promise<LlmSettings | null> {
    if (this.#found && this.#now() - this.#found.atMs < FRESH_MS) return this.#found.settings;
    const settings = await this.#look();
    this.#found = settings ? { settings, atMs: this.#now() } : undefined;
    return settings;
  }

  /** As `find`, for a conversation in which none answers: a configured server has to answer, and what was found before
   *  does not count. Many conversations search together, and not again at once. */
  findAgain(): Promise<LlmSettings | null> {
    const isMissing = this.#missingAtMs !== undefined && this.#now() - this.#missingAtMs < SEARCH_AGAIN_MS;
    if (isMissing) return Promise.resolve(null);
    this.#search ??= this.#lookAgain().finally(() => {
      this.#search = undefined;
    });
    return this.#search;
  }

  async #lookAgain(): Promise<LlmSettings | null> {
    const settings = await this.#look();
    const { baseUrl, apiKey } = this.#options.settings;
    const found = settings && (baseUrl === undefined || (await isAnswering({ baseUrl, apiKey }))) ? settings : null;
    this.#found = found ? { settings: found, atMs: this.#now() } : undefined;
    this.#missingAtMs = found ? undefined : this.#now();
    return found;
  }

  async #look(): Promise<LlmSettings | null> {
    const { baseUrl, apiKey, model: name } = this.#options.settings;
    if (baseUrl === undefined) return this.#lookHere();
    // Servers with a single model ignore its name.
    const model = name ?? (await findChatModel({ baseUrl, apiKey })) ?? UNNAMED_MODEL;
    return { baseUrl, apiKey, model };
  }

  async #lookHere(): Promise<LlmSettings | null> {
    const { settings, host, ownPorts } = this.#options;
    return settings.isSearched && isLoopbackHost(host) ? findLocalServer({ ownPorts }) : null;
  }
}
