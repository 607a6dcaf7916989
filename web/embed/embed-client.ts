// The requests of the page. The embed token travels in a header and nowhere else.
import { aspectRatio } from "../shared/aspect-ratio.ts";
import { atOwnOrigin } from "../shared/at-own-origin.ts";
import { RequestError } from "../shared/request-error.ts";
import { sendRequest } from "../shared/send-request.ts";
import type { TypingMode } from "./conversation-words.ts";
import { type Credential, routesAddress } from "./credential.ts";
import { choiceFor, type EmbedParameters, type RenderChoice, readParameters } from "./embed-parameters.ts";
import { type Bundle, MOST_BUNDLE_BYTES } from "./fetch-bundle.ts";

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
  /** The avatar's file, if this tab is to render it; undefined: the service streams video. */
  bundle: Bundle | undefined;
}

/** Whom the visitor meets, known without a session. */
export interface EmbedAgent {
  name: string;
  /** Still of the avatar; undefined while it has none. */
  posterUrl: string | undefined;
  hasDisclosure: boolean;
  /** Width by height of the video. */
  ratio: number;
  /** The avatar's file, if this tab asks to render it and may; the session's answer decides. */
  bundle: Bundle | undefined;
}

/** A visitor who waits longer is told so. */
const TIMEOUT_MS = 20_000;

/** Requests with one embed token. */
export class EmbedClient {
  readonly #base: URL;
  readonly #credential: Credential;
  #token = "";
  /** The room of the session: another token would be for another one. */
  #room: { room_name: string; room_key: string } | undefined;
  readonly #parameters: EmbedParameters;
  readonly #tabId: string;

  /** `pageAddress` is the address of the page: it tells where the routes lie, and may name a model and a visitor.
   *  `tabId` is 32 random hex digits, by which visitors who share a token have a room each. */
  constructor(pageAddress: string, credential: Credential, tabId: string) {
    this.#base = routesAddress(pageAddress);
    this.#credential = credential;
    const parameters = readParameters(pageAddress);
    this.#parameters = { ...parameters, render: choiceFor(parameters.render, decodedCodecs()) };
    this.#tabId = tabId;
  }

  /** The token of the last request; empty before the first. */
  get token(): string {
    return this.#token;
  }

  /** Name of the session's room; undefined before it, and from an older service. */
  get roomName(): string | undefined {
    return this.#room?.room_name;
  }

  /** Who renders the face, as the address has it, if the browser can show that. */
  get render(): RenderChoice {
    return this.#parameters.render;
  }

  /** Whom this token is for. Throws RequestError. */
  async describeAgent(): Promise<EmbedAgent> {
    const { model } = this.#parameters;
    const query = new URLSearchParams(this.render === "stream" ? {} : { render: this.render, ...(model && { model }) });
    return parseAgent(await this.#send(query.size > 0 ? `agent?${query}` : "agent"), this.#base.href);
  }

  /** Starts the avatar session of this token, or finds the one that runs. `greeting`: what a new one says first: the
   *  agent's `own` greeting, that of a language, or `none`. Throws RequestError. */
  async startSession(greeting = "own"): Promise<EmbedSession> {
    const answer = await this.#send("session", { render: this.render, greeting });
    const session = parseSession(answer, this.#base.href);
    const { room_name, room_key } = answer;
    // An older service has no keys.
    const hasKey = typeof room_name === "string" && typeof room_key === "string";
    this.#room = hasKey ? { room_name, room_key } : undefined;
    return session;
  }

  /** Asks the avatar something, or lets it say a text, of at most 500 characters. Throws RequestError. */
  async say(text: string, mode: TypingMode = "ask"): Promise<void> {
    await this.#send("say", { text, mode, ...this.#room });
  }

  /** A token that has expired is replaced once, where another one can be had. */
  async #send(route: string, body?: Record<string, unknown>): Promise<Record<string, unknown>> {
    this.#token = await this.#credential.get();
    try {
      return await this.#sendWithToken(route, body);
    } catch (error) {
      if (!(error instanceof RequestError) || error.code !== "UNAUTHORIZED") throw error;
      this.#token = await this.#credential.renew();
      return this.#sendWithToken(route, body);
    }
  }

  async #sendWithToken(route: string, body?: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { model, endUserId } = this.#parameters;
    return sendRequest(new URL(route, this.#base), {
      headers: { authorization: `Bearer ${this.#token}` },
      ...(body && { method: "POST", body: { ...body, model, end_user_id: endUserId, tab_id: this.#tabId } }),
      timeoutMs: TIMEOUT_MS,
    });
  }
}

/** Reads the answer of the agent route. Throws RequestError with BAD_ANSWER for anything else. */
function parseAgent(answer: Record<string, unknown>, pageAddress: string): EmbedAgent {
  if (typeof answer.name !== "string") throw badAnswer();
  const { name, poster_url: poster, disclosure, aspect_ratio: shape } = answer;
  return {
    name: name || "Avatar",
    posterUrl: typeof poster === "string" && URL.canParse(poster) ? poster : undefined,
    hasDisclosure: disclosure !== false,
    ratio: aspectRatio(shape),
    // A service of an earlier version says nothing of it.
    bundle: parseBundle(answer.bundle, pageAddress),
  };
}

/** Reads the answer of the session route. Throws RequestError with BAD_ANSWER for anything else. */
function parseSession(answer: Record<string, unknown>, pageAddress: string): EmbedSession {
  const { livekit_url: livekitUrl, token: livekitToken, agent, disclosure, transcript_days: days, remembers } = answer;
  if (typeof livekitUrl !== "string" || !/^(wss?|https?):\/\//.test(livekitUrl) || typeof livekitToken !== "string") {
    throw badAnswer();
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
    // Also a service that knows nothing of this streams.
    bundle: answer.renderer === "local" ? parseBundle(answer.bundle, pageAddress) : undefined,
  };
}

function parseBundle(bundle: unknown, pageAddress: string): Bundle | undefined {
  if (!isRecord(bundle)) return undefined;
  const { url, sha256, bytes } = bundle;
  if (typeof url !== "string" || !URL.canParse(url) || typeof sha256 !== "string" || typeof bytes !== "number")
    return undefined;
  if (!Number.isSafeInteger(bytes) || bytes <= 0 || bytes > MOST_BUNDLE_BYTES) return undefined;
  return { url: atOwnOrigin(url, pageAddress), sha256, bytes };
}

function badAnswer(): RequestError {
  return new RequestError("BAD_ANSWER", "The service gave an answer that this page does not know.");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What the browser decodes in calls; undefined if it does not tell. */
function decodedCodecs(): readonly { mimeType: string }[] | undefined {
  return typeof RTCRtpReceiver === "undefined" ? undefined : RTCRtpReceiver.getCapabilities?.("video")?.codecs;
}
