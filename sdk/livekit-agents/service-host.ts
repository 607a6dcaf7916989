// Shows an avatar through the avatar service.
import { setTimeout as delay } from "node:timers/promises";
import { type APIConnectOptions, DEFAULT_API_CONNECT_OPTIONS, log } from "@livekit/agents";
import { ApiError, type CallOptions, Client, ConnectionError } from "../client/index.ts";
import type { AvatarHost, AvatarPlace } from "./avatar-host.ts";
import { AvatarSessionError } from "./avatar-session-error.ts";
import type { FaceOptions } from "./face-options.ts";
import { readEnvironment } from "./read-environment.ts";

/** Where `npm start` serves. */
const DEFAULT_API_URL = "http://127.0.0.1:8080";
/** Longest wait for the service when a session ends: the participant can be removed instead. */
const END_TIMEOUT_MS = 5_000;

export interface ServiceHostOptions extends FaceOptions {
  agentId?: string;
  model?: string;
  image?: string | Uint8Array;
  apiUrl?: string;
  apiSecret?: string;
  connOptions?: Partial<APIConnectOptions>;
}

/** A launch that is repeated while the session runs gets the same session, so it may be tried again whatever went
 *  wrong. */
export class ServiceHost implements AvatarHost {
  readonly #options: ServiceHostOptions;
  readonly #client: Client;
  readonly #isScoped: boolean;
  readonly #logger = log().child({ module: "open-avatar" });
  #sessionId: string | null = null;
  /** A launch was sent, so that a session may run. */
  #isLaunched = false;

  /** Throws AvatarSessionError without a secret, or if the secret cannot launch this. */
  constructor(options: ServiceHostOptions) {
    const environment = readEnvironment();
    const { apiUrl, image, apiSecret } = options;
    const secret = apiSecret || environment.apiSecret;
    if (!secret) throw new AvatarSessionError("No API secret: pass apiSecret, or set AVATAR_API_SECRET.");
    this.#isScoped = isScopedToken(secret);
    if (image !== undefined && this.#isScoped) {
      throw new AvatarSessionError("image needs the account's API secret: a scoped token is bound to an agent.");
    }
    this.#options = options;
    this.#client = new Client({
      baseUrl: apiUrl || environment.apiUrl || DEFAULT_API_URL,
      apiSecret: apiSecret || undefined,
      logger: { warn: (message) => this.#logger.warn(message) },
      onPlanNotice: (notice) => this.#logger.warn(notice),
    });
  }

  /** Id of the session; null until one was launched, and after its end. */
  get sessionId(): string | null {
    return this.#sessionId;
  }

  async start({ livekit, roomName, livekitToken }: AvatarPlace, signal: AbortSignal): Promise<void> {
    const { model, image, emotion, manner, listen } = this.#options;
    const agentId = await this.#agentId(signal);
    const body = {
      mode: "gpu",
      agent_id: agentId,
      model,
      image: image instanceof Uint8Array ? Buffer.from(image).toString("base64") : image,
      livekit_url: livekit.url,
      livekit_token: livekitToken,
      room_name: roomName,
      emotion,
      manner,
      listen,
    };
    this.#isLaunched = true;
    const session = await this.#retry((options) => this.#client.sessions.launch(body, options), signal);
    this.#sessionId = session.session_id;
  }

  async end(): Promise<void> {
    if (!this.#isLaunched) return;
    if (this.#sessionId === null) throw new AvatarSessionError("No session is known to have been launched.");
    await this.#client.sessions.end(this.#sessionId, { maxRetries: 0, timeoutMs: END_TIMEOUT_MS });
    this.#sessionId = null;
    this.#isLaunched = false;
  }

  /** Undefined if the launch names none: its image is the face, or its token is bound to an agent. */
  async #agentId(signal: AbortSignal): Promise<string | undefined> {
    const { agentId, image } = this.#options;
    if (agentId || image !== undefined || this.#isScoped) return agentId;
    return this.#retry(async (options) => {
      const { items } = await this.#client.samples.list(options);
      const sample = items.at(0);
      if (sample) return sample.agent_code;
      throw new NoSampleError("The service has no sample avatar yet: pass agentId, or try again in a minute.");
    }, signal);
  }

  /** Repeats a call as `connOptions` say, while the service is away, busy or failing. */
  async #retry<T>(call: (options: CallOptions) => PromiseLike<T>, signal: AbortSignal): Promise<T> {
    const { connOptions = {} } = this.#options;
    const { maxRetry, retryIntervalMs, timeoutMs } = { ...DEFAULT_API_CONNECT_OPTIONS, ...connOptions };
    const isTimed = connOptions.timeoutMs !== undefined || !readEnvironment().hasApiTimeout;
    for (let retries = 0; ; retries++) {
      try {
        return await call({ signal, maxRetries: 0, ...(isTimed && { timeoutMs }) });
      } catch (error) {
        if (retries >= maxRetry || !mayPass(error)) throw error;
        const waitMs = Math.max(retryIntervalMs, (error instanceof ApiError && error.retryAfterMs) || 0);
        this.#logger.warn({ error, waitMs }, "the avatar service did not accept the call, it is repeated");
        await delay(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    }
  }
}

/** A service that has just been installed makes its samples. */
class NoSampleError extends AvatarSessionError {}

/** Whether the same call may be answered differently soon. */
function mayPass(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof NoSampleError) return true;
  return error instanceof ApiError && (error.httpStatus === 429 || error.httpStatus >= 500);
}

/** A token of `POST /v1/runtime-tokens/mint` is a JWT; secrets are not. */
function isScopedToken(secret: string): boolean {
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(secret);
}
