// The REST client as the start command, the demo and the benchmarks use it.
import { setTimeout as delay } from "node:timers/promises";
import { type Agent, Client } from "../../sdk/client/index.ts";

export interface ServiceClientOptions {
  /** Base URL without a trailing slash. */
  baseUrl: string;
  apiSecret: string;
}

export interface LaunchRequest {
  agentCode: string;
  livekitUrl: string;
  livekitToken: string;
  roomName: string;
}

const REQUEST_TIMEOUT_MS = 30_000;
const POLL_MS = 250;

/** Calls the service with an account's API secret, each call once. Every method throws ApiError if it is refused. */
export class ServiceClient {
  readonly baseUrl: string;
  readonly apiSecret: string;
  readonly #client: Client;

  constructor({ baseUrl, apiSecret }: ServiceClientOptions) {
    this.baseUrl = baseUrl;
    this.apiSecret = apiSecret;
    this.#client = new Client({ baseUrl, apiSecret, timeoutMs: REQUEST_TIMEOUT_MS, maxRetries: 0 });
  }

  /** Starts the creation of an agent with a square canvas and returns its code. `image` is a URL, base64 or a data
   *  URI; without it the service chooses a portrait from its gallery. */
  async generateAgent(request: { prompt?: string; image?: string; agentId?: string; model: string }): Promise<string> {
    const { agentId, ...order } = request;
    const { agent_id } = await this.#client.agents.create({ ...order, agent_id: agentId, aspect_ratio: "1:1" });
    return agent_id;
  }

  getAgentStatus(code: string): Promise<Agent> {
    return this.#client.agents.status(code);
  }

  /** Waits until the agent is ready. Throws AgentFailedError or TimeoutError. */
  waitForAgent(code: string, timeoutMs: number): Promise<Agent> {
    return this.#client.agents.ready(code, { pollMs: POLL_MS, timeoutMs });
  }

  /** Lets every visitor render the agent in their browser, also those with a token that visitors share. */
  async allowLocalRendering(code: string): Promise<void> {
    await this.#client.agents.update(code, { local_rendering: "allowed" });
  }

  async deleteAgent(code: string): Promise<void> {
    await this.#client.agents.delete(code);
  }

  /** Starts an avatar session in a room and returns its id. */
  async launch({ agentCode, livekitUrl, livekitToken, roomName }: LaunchRequest): Promise<string> {
    const { session_id } = await this.#client.sessions.launch({
      mode: "cpu",
      agent_id: agentCode,
      livekit_url: livekitUrl,
      livekit_token: livekitToken,
      room_name: roomName,
    });
    return session_id;
  }

  /** Lets every live avatar of the agent (or only the one in `roomName`) speak the message. */
  async speak(code: string, message: string, roomName?: string): Promise<void> {
    await this.#client.agents.speak(code, { message, room_id: roomName });
  }

  /** Waits until the avatar session is live. Throws Error when it ended, or after `timeoutMs`. */
  async waitUntilLive(sessionId: string, timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const { status, end_reason: reason } = await this.#client.sessions.get(sessionId);
      if (status === "live") return;
      if (status === "ended") throw new Error(`the avatar session ended: ${reason ?? "no reason given"}`);
      if (Date.now() > deadline) throw new Error(`the avatar is not live after ${timeoutMs / 1000} s`);
      await delay(POLL_MS);
    }
  }

  async endAvatarSession(sessionId: string): Promise<void> {
    await this.#client.sessions.end(sessionId);
  }
}
