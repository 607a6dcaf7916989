// The requests of the page. The embed token travels in a header and nowhere else.
import type { TypingMode } from "./conversation-words.ts";
import { type EmbedParameters, readParameters } from "./embed-parameters.ts";

/** A room to join, as the service gives it. */
export interface EmbedSession {
  livekitUrl: string;
  /** LiveKit token of the visitor for that one room. */
  livekitToken: string;
  agentName: string;
  /** Whether to label the video as an AI-generated face. */
  hasDisclosure: boolean;
  /** Days for which messages are kept; 0 if they are not. */
  transcriptDays: number;
  /** Whether the next conversation begins with a summary of this one. */
  remembers: boolean;
}

/** Whom the visitor meets, known without a session. */
export interface EmbedAgent {
  name: string;
  /** Still of the avatar; undefined while it has none. */
  posterUrl: string | undefined;
  hasDisclosure: boolean;
  /** Width by height of the video. */
  ratio: number;
}

/** A request that did not succeed. `code` is a code of the service's error table, `NETWORK` where no answer came, or
 *  `BAD_ANSWER`. */
export class EmbedRequestError extends Error {
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: string, retryAfterSeconds?: number) {
    super(`the service answered ${code}`);
    this.name = "EmbedRequestError";
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const TIMEOUT_MS = 20_000;

/** Requests with one embed token. */
export class EmbedClient {
  readonly #base: URL;
  readonly #token: string;
  readonly #parameters: EmbedParameters;
  readonly #tabId: string;

  /** `pageAddress` is the address of the page: the routes lie beside it, and it may name a model and a visitor. `tabId`
   *  is 32 random hex digits, by which visitors who share a token have a room each. */
  constructor(pageAddress: string, token: string, tabId: string) {
    this.#base = new URL(pageAddress);
    this.#token = token;
    this.#parameters = readParameters(pageAddress);
    this.#tabId = tabId;
  }

  /** Whom this token is for. Throws EmbedRequestError. */
  async describeAgent(): Promise<EmbedAgent> {
    return parseAgent(await this.#send("agent", { method: "GET" }));
  }

  /** Starts the avatar session of this token, or finds the one that runs. Throws EmbedRequestError. */
  async startSession(): Promise<EmbedSession> {
    return parseSession(await this.#post("session", {}));
  }

  /** Asks the avatar something, or lets it say a text, of at most 500 characters. Throws EmbedRequestError. */
  async say(text: string, mode: TypingMode = "ask"): Promise<void> {
    await this.#post("say", { text, mode });
  }

  #post(route: string, body: Record<string, unknown>): Promise<unknown> {
    const { model, endUserId } = this.#parameters;
    return this.#send(route, {
      method: "POST",
      body: JSON.stringify({ ...body, model, end_user_id: endUserId, tab_id: this.#tabId }),
    });
  }

  async #send(route: string, init: Pick<RequestInit, "method" | "body">): Promise<unknown> {
    let response: Response;
    try {
      response = await fetch(new URL(route, this.#base), {
        ...init,
        headers: { authorization: `Bearer ${this.#token}`, ...(init.body && { "content-type": "application/json" }) },
        credentials: "omit",
        referrerPolicy: "no-referrer",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      throw new EmbedRequestError(
        error instanceof DOMException && error.name === "TimeoutError" ? "TIMEOUT" : "NETWORK",
      );
    }
    const answer: unknown = await response.json().catch(() => undefined);
    if (response.ok) return answer;
    const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
    throw new EmbedRequestError(
      errorCode(answer) ?? "BAD_ANSWER",
      Number.isFinite(retryAfter) ? retryAfter : undefined,
    );
  }
}

/** Reads the answer of the agent route. Throws EmbedRequestError with BAD_ANSWER for anything else. */
function parseAgent(answer: unknown): EmbedAgent {
  if (!isRecord(answer) || typeof answer.name !== "string") throw new EmbedRequestError("BAD_ANSWER");
  const { name, poster_url: poster, disclosure, aspect_ratio: shape } = answer;
  const [width, height] = String(shape).split(":").map(Number);
  return {
    name: name || "Avatar",
    posterUrl: typeof poster === "string" && URL.canParse(poster) ? poster : undefined,
    hasDisclosure: disclosure !== false,
    ratio: width && height ? width / height : 1,
  };
}

/** Reads the answer of the session route. Throws EmbedRequestError with BAD_ANSWER for anything else. */
function parseSession(answer: unknown): EmbedSession {
  if (!isRecord(answer)) throw new EmbedRequestError("BAD_ANSWER");
  const { livekit_url: livekitUrl, token: livekitToken, agent, disclosure, transcript_days: days, remembers } = answer;
  if (typeof livekitUrl !== "string" || !/^(wss?|https?):\/\//.test(livekitUrl) || typeof livekitToken !== "string") {
    throw new EmbedRequestError("BAD_ANSWER");
  }
  const agentName = isRecord(agent) && typeof agent.name === "string" && agent.name ? agent.name : "Avatar";
  const transcriptDays = typeof days === "number" && days > 0 ? days : 0;
  return {
    livekitUrl,
    livekitToken,
    agentName,
    hasDisclosure: disclosure !== false,
    transcriptDays,
    remembers: remembers === true,
  };
}

function errorCode(answer: unknown): string | undefined {
  const error = isRecord(answer) ? answer.error : undefined;
  return isRecord(error) && typeof error.code === "string" ? error.code : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
