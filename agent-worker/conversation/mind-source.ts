// Which language model answers in conversations: the configured server, else one that runs on this machine.
import type { Config } from "../../shared/config.ts";
import { isLoopbackHost } from "../../shared/loopback.ts";
import { findChatModel, findLocalServer } from "../../src/mind/find-local-server.ts";
import type { MindSettings } from "../../src/mind/request-chat.ts";

/** A server that was found is believed in for this long, ms; one that is missing is looked for again each time. */
const FRESH_MS = 30_000;

const UNNAMED_MODEL = "default";

export interface MindSourceOptions {
  settings: Config["languageModel"];
  /** The address that the service listens on: a model is looked for on a machine that is open to itself alone. */
  host: string;
  /** Ports of this machine where the service itself listens. */
  ownPorts: readonly number[];
  /** Monotonic time, ms. Default `performance.now`. */
  now?: () => number;
}

export class MindSource {
  readonly #options: MindSourceOptions;
  readonly #now: () => number;
  #found: { settings: MindSettings; atMs: number } | undefined;

  constructor(options: MindSourceOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The model for a conversation that begins; null if there is none. Never rejects. */
  async find(): Promise<MindSettings | null> {
    if (this.#found && this.#now() - this.#found.atMs < FRESH_MS) return this.#found.settings;
    const settings = await this.#look();
    this.#found = settings ? { settings, atMs: this.#now() } : undefined;
    return settings;
  }

  async #look(): Promise<MindSettings | null> {
    const { baseUrl, apiKey, model: name } = this.#options.settings;
    if (baseUrl === undefined) return this.#lookHere();
    // Servers with a single model ignore its name.
    const model = name ?? (await findChatModel({ baseUrl, apiKey })) ?? UNNAMED_MODEL;
    return { baseUrl, apiKey, model };
  }

  async #lookHere(): Promise<MindSettings | null> {
    const { settings, host, ownPorts } = this.#options;
    return settings.isSearched && isLoopbackHost(host) ? findLocalServer({ ownPorts }) : null;
  }
}
