// Shows an avatar through the avatar service, which is called over REST.
import { setTimeout as delay } from "node:timers/promises";
import type { APIConnectOptions } from "@livekit/agents";
import { HEADER_API_SECRET } from "../../shared/wire-names.ts";
import type { AvatarHost, AvatarPlace } from "./avatar-host.ts";
import { AvatarSessionError } from "./avatar-session-error.ts";

const DEFAULT_API_URL = "http://127.0.0.1:8080";
/** Longest wait for the service when a session ends: the participant can be removed instead. */
const END_TIMEOUT_MS = 5_000;

export interface ServiceHostOptions {
  agentId?: string;
  model?: string;
  image?: string | Uint8Array;
  apiUrl?: string;
  apiSecret?: string;
  connOptions: APIConnectOptions;
}

export class ServiceHost implements AvatarHost {
  readonly #options: ServiceHostOptions;
  readonly #apiUrl: string;
  readonly #apiSecret: string;
  /** Null until a session was launched. */
  sessionId: string | null = null;

  /** Throws AvatarSessionError without a secret, or if the secret cannot launch this. */
  constructor(options: ServiceHostOptions) {
    this.#options = options;
    const { AVATAR_API_URL, AVATAR_API_SECRET, AVATAR_API_KEY } = process.env;
    const secret = options.apiSecret || AVATAR_API_SECRET || AVATAR_API_KEY;
    if (!secret) throw new AvatarSessionError("No API secret: pass apiSecret, or set AVATAR_API_SECRET.");
    if (options.image !== undefined && isScopedToken(secret)) {
      throw new AvatarSessionError("image needs the account's API secret: a scoped token is bound to an agent.");
    }
    this.#apiUrl = (options.apiUrl || AVATAR_API_URL || DEFAULT_API_URL).replace(/\/+$/, "");
    this.#apiSecret = secret;
  }

  async start({ livekit, roomName, livekitToken }: AvatarPlace, signal: AbortSignal): Promise<void> {
    const { model, image } = this.#options;
    const answer = (await this.#call("POST", "/v1/runtime-tokens/request", {
      signal,
      body: {
        mode: "gpu",
        agent_id: await this.#agentId(signal),
        model,
        image: image instanceof Uint8Array ? Buffer.from(image).toString("base64") : image,
        livekit_url: livekit.url,
        livekit_token: livekitToken,
        room_name: roomName,
      },
    })) as { session_id: string };
    this.sessionId = answer.session_id;
  }

  async end(): Promise<void> {
    if (this.sessionId === null) throw new AvatarSessionError("no session is known to have been launched");
    await this.#call("POST", `/v1/runtime-sessions/${this.sessionId}/end`, {
      signal: AbortSignal.timeout(END_TIMEOUT_MS),
      isRepeated: false,
    });
    this.sessionId = null;
  }

  /** Undefined if the launch needs none: with an image, or a token that names one. */
  async #agentId(signal: AbortSignal): Promise<string | undefined> {
    const { agentId, image } = this.#options;
    if (agentId || image !== undefined || isScopedToken(this.#apiSecret)) return agentId;
    const { models } = (await this.#call("GET", "/v1/models/showcase", { signal })) as {
      models: { agent_code: string }[];
    };
    const sample = models.at(0);
    if (!sample) throw new AvatarSessionError("The service has no sample avatar yet: pass agentId, or try again soon.");
    return sample.agent_code;
  }

  async #call(
    method: string,
    path: string,
    { body, signal, isRepeated = true }: { body?: object; signal: AbortSignal; isRepeated?: boolean },
  ): Promise<unknown> {
    const { maxRetry, retryIntervalMs, timeoutMs } = this.#options.connOptions;
    for (let retry = 0; ; retry++) {
      try {
        const response = await fetch(this.#apiUrl + path, {
          method,
          headers: { [HEADER_API_SECRET]: this.#apiSecret, "content-type": "application/json" },
          body: body && JSON.stringify(body),
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        });
        const text = await response.text();
        if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
        return JSON.parse(text);
      } catch (error) {
        if (!isRepeated || retry >= maxRetry || signal.aborted) throw error;
        await delay(retryIntervalMs, undefined, { signal });
      }
    }
  }
}

/** A token of `POST /v1/runtime-tokens/mint` is a JWT; secrets are not. */
function isScopedToken(secret: string): boolean {
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(secret);
}
