// REST client of the start command, the demo and the benchmarks.
import { setTimeout as delay } from "node:timers/promises";

export interface ServiceClientOptions {
  /** Base URL without a trailing slash. */
  baseUrl: string;
  apiSecret: string;
}

export interface AgentStatus {
  agent_id: string;
  status: string;
  progress: number;
  current_step: string;
  progress_msg: string;
  error_message: string | null;
}

export interface LaunchRequest {
  agentCode: string;
  livekitUrl: string;
  livekitToken: string;
  roomName: string;
}

/** An error answer: status, error code and message of the service. */
export class ServiceClientError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "ServiceClientError";
    this.status = status;
    this.code = code;
  }
}

const REQUEST_TIMEOUT_MS = 30_000;
const POLL_MS = 250;

/** Calls the service with an account's API secret. Every method throws ServiceClientError for an error answer. */
export class ServiceClient {
  readonly #options: ServiceClientOptions;

  constructor(options: ServiceClientOptions) {
    this.#options = options;
  }

  get baseUrl(): string {
    return this.#options.baseUrl;
  }

  get apiSecret(): string {
    return this.#options.apiSecret;
  }

  /** Starts the creation of an agent with a square canvas and returns its code. `image` is a URL, base64 or a data
   *  URI; without it the service chooses a portrait from its gallery. */
  async generateAgent(request: { prompt?: string; image?: string; agentId?: string; model: string }): Promise<string> {
    const { prompt, image, agentId, model } = request;
    const answer = await this.#call("POST", "/v1/agent/generate", {
      prompt,
      image,
      agent_id: agentId,
      model,
      aspect_ratio: "1:1",
    });
    return (answer as { agent_id: string }).agent_id;
  }

  async getAgentStatus(code: string): Promise<AgentStatus> {
    const answer = await this.#call("GET", `/v1/agent/status/${encodeURIComponent(code)}`);
    return (answer as { data: AgentStatus }).data;
  }

  /** Waits until the agent is ready. Throws Error when its creation fails or takes longer than `timeoutMs`. */
  async waitForAgent(
    code: string,
    timeoutMs: number,
    onProgress?: (status: AgentStatus) => void,
  ): Promise<AgentStatus> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const status = await this.getAgentStatus(code);
      if (isReady(status)) return status;
      if (status.status === "failed") {
        throw new Error(`agent ${code} could not be created: ${status.error_message ?? "no reason given"}`);
      }
      onProgress?.(status);
      if (Date.now() > deadline) throw new Error(`agent ${code} is still at ${status.current_step}`);
      await delay(POLL_MS);
    }
  }

  async deleteAgent(code: string): Promise<void> {
    await this.#call("DELETE", `/v1/agent/${encodeURIComponent(code)}`);
  }

  /** Starts an avatar session in a room and returns its id. */
  async launch(request: LaunchRequest): Promise<string> {
    const answer = await this.#call("POST", "/v1/runtime-tokens/request", {
      mode: "cpu",
      agent_id: request.agentCode,
      livekit_url: request.livekitUrl,
      livekit_token: request.livekitToken,
      room_name: request.roomName,
    });
    return (answer as { session_id: string }).session_id;
  }

  /** Lets every live avatar of the agent (or only the one in `roomName`) speak the message. */
  async speak(code: string, message: string, roomName?: string): Promise<void> {
    await this.#call("POST", `/v1/agent/${encodeURIComponent(code)}/speak`, { message, room_id: roomName });
  }

  /** Waits until the avatar session is live. Throws Error when it ended, or after `timeoutMs`. */
  async waitUntilLive(sessionId: string, timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const answer = await this.#call("GET", `/v1/runtime-sessions/${encodeURIComponent(sessionId)}`);
      const { status, end_reason: reason } = answer as { status: string; end_reason: string | null };
      if (status === "live") return;
      if (status === "ended") throw new Error(`the avatar session ended: ${reason ?? "no reason given"}`);
      if (Date.now() > deadline) throw new Error(`the avatar is not live after ${timeoutMs / 1000} s`);
      await delay(POLL_MS);
    }
  }

  async endAvatarSession(sessionId: string): Promise<void> {
    await this.#call("POST", `/v1/runtime-sessions/${encodeURIComponent(sessionId)}/end`);
  }

  async #call(method: string, path: string, body?: Record<string, unknown>): Promise<unknown> {
    const response = await fetch(`${this.#options.baseUrl}${path}`, {
      method,
      headers: { "api-secret": this.#options.apiSecret, ...(body ? { "content-type": "application/json" } : {}) },
      body: body ? JSON.stringify(body) : undefined,
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const text = await response.text();
    if (response.ok) return text === "" ? {} : JSON.parse(text);
    const error = parseError(text);
    throw new ServiceClientError(response.status, error.code, `${method} ${path}: ${error.message}`);
  }
}

/** By the contract `ready` and `success` are final, but some services write `success` at an earlier step too. */
function isReady({ status, progress }: AgentStatus): boolean {
  return status === "ready" || (status === "success" && progress === 1);
}

function parseError(text: string): { code: string; message: string } {
  try {
    return (JSON.parse(text) as { error: { code: string; message: string } }).error;
  } catch {
    return { code: "", message: text.slice(0, 200) };
  }
}
