// The requests about agents.
import { atOwnOrigin } from "../shared/at-own-origin.ts";
import { RequestError } from "../shared/request-error.ts";
import { type RequestOptions, sendRequest } from "../shared/send-request.ts";
import { type ServiceWords, serviceWords } from "../shared/service-words/service-words.ts";
import type { CreateAccess } from "./create-access.ts";
import type { Film } from "./next-view.ts";
import type { OwnAvatar } from "./own-avatars-view.ts";

export const SHAPES = ["1:1", "16:9", "9:16"] as const;
export type Shape = (typeof SHAPES)[number];

/** `photograph` refuses everything but one person's face; `any` lets a person mark what the service does not find. */
export type OrderKind = "photograph" | "any";

export interface AgentOrder {
  /** The picture as a data URI; null lets the service decide what the face looks like. */
  image: string | null;
  /** Empty for none. */
  name: string;
  /** In a sentence; empty for none. */
  character: string;
  /** Empty if the service chooses. */
  voice: string;
  shape: Shape;
  kind: OrderKind;
}

export interface AgentStatus {
  code: string;
  name: string;
  state: "making" | "marking" | "ready" | "failed";
  /** 0 to 1. */
  progress: number;
  /** What happens now, in the service's words. */
  message: string;
  /** Link to the stored picture; empty until it is stored. */
  imageUrl: string;
  /** Link to the `.imx` file; null until it exists. */
  modelUrl: string | null;
  /** Name of its model. */
  model: string;
  voice: string;
  character: string;
}

export interface AgentChange {
  voice: string;
  character: string;
}

/** What the credits of an account are. */
export interface Balance {
  credits: number;
  /** Orders of some plans are accepted with fewer credits, too. */
  isLimit: boolean;
}

/** What the ledger says of one agent. Whole credits. */
export interface AgentCosts {
  charged: number;
  refunded: number;
}

export interface AgentList {
  avatars: OwnAvatar[];
  hasMore: boolean;
}

/** An estimate. Once the avatar is ready, its status says whether it was right. */
const ESTIMATE = "PICTURE_TOO_TIGHT";
/** Answers to a token that has expired or was revoked with its secret. */
const OUTDATED = ["MISSING_AUTH", "UNAUTHORIZED"];
const DAY_S = 86_400;
/** A row or two of the list. */
const LIST_LIMIT = 12;
const MODELS: Readonly<Record<OrderKind, string>> = { photograph: "essence-2", any: "expression-2" };
/** More entries than an agent has that was just made. */
const LEDGER_LIMIT = 50;

/** Each method throws RequestError. */
export class AgentClient {
  readonly #base: URL;
  readonly #access: CreateAccess;
  readonly #words: ServiceWords;

  /** `base` is the address of the start page: all pages lie below it. `words`: of errors. */
  constructor(base: URL, access: CreateAccess, words: ServiceWords = serviceWords()) {
    this.#base = base;
    this.#access = access;
    this.#words = words;
  }

  /** Begins to make an agent. Returns its code, and what the service says about the order. `key` names the order: sent
   *  again with the same key, it makes no second agent. */
  async create(order: AgentOrder, key: string): Promise<{ code: string; notes: string[] }> {
    const { image, name, character, voice, shape, kind } = order;
    // A description stays as it is; a character of a picture is the beginning of its prompt.
    const prompt = character === "" || image === null ? character : asSentence(character);
    const body = {
      ...(image !== null && { image }),
      model: MODELS[kind],
      aspect_ratio: shape,
      // The service names whom it describes, unless the visitor does.
      ...((name !== "" || image !== null) && { name }),
      ...((voice !== "" || image !== null) && { voice }),
      ...(prompt !== "" && { prompt }),
    };
    const answer = await this.#send("v1/agent/generate", {
      method: "POST",
      headers: { "idempotency-key": key },
      body,
    });
    const warnings = (answer.warnings ?? []) as { code?: unknown; message?: unknown }[];
    const notes = warnings.filter(({ code }) => code !== ESTIMATE).map(({ message }) => String(message));
    return { code: String(answer.agent_id), notes };
  }

  async status(code: string, signal?: AbortSignal): Promise<AgentStatus> {
    const { data } = await this.#send(`v1/agent/status/${encodeURIComponent(code)}`, { signal });
    return readStatus(data as Record<string, unknown>);
  }

  /** The page on which a person marks the face, relative to the start page. */
  async markingPage(code: string): Promise<string> {
    const { data } = await this.#send(`v1/agent/${encodeURIComponent(code)}/face-marks`);
    const { hash } = new URL(String((data as Record<string, unknown>).marking_url));
    return new URL(`mark/${encodeURIComponent(code)}${hash}`, this.#base).href;
  }

  /** A link to the agent's embed page for one visitor. It works for an hour. */
  async embedPage(code: string): Promise<string> {
    const body = { agent_id: code, fingerprint: randomName() };
    const { data } = await this.#send("v1/embed-tokens/request", { method: "POST", body });
    const { token } = data as Record<string, unknown>;
    return new URL(`embed/${encodeURIComponent(code)}#token=${token}`, this.#base).href;
  }

  /** Lets the service prepare the conversation on an embed page while the face is still being made: room, voice and
   *  greeting. The page finds it when it is opened. */
  async prepare(page: string): Promise<void> {
    const { hash } = new URL(page);
    const headers = { authorization: `Bearer ${hash.slice("#token=".length)}` };
    await sendRequest(new URL("embed/session", this.#base), { method: "POST", headers, body: {} });
  }

  /** A short link to the agent's embed page, for anyone and for so many days; at most 90. */
  async shortLink(code: string, days: number): Promise<string> {
    const body = { agent_id: code, expires_in: days * DAY_S };
    const { data } = await this.#send("v1/embed-links", { method: "POST", body });
    return atOwnOrigin(String((data as Record<string, unknown>).url), this.#base.href);
  }

  /** The agents that can be opened, newest first, after the first `offset`. */
  async list(offset: number): Promise<AgentList> {
    const { data, pagination } = await this.#send(`v1/agents?limit=${LIST_LIMIT}&offset=${offset}&status=ready`);
    const avatars = (data as Record<string, unknown>[]).map(({ code, name, poster_url: poster }) => ({
      code: String(code),
      name: String(name),
      ...(typeof poster === "string" && { poster: atOwnOrigin(poster, this.#base.href) }),
    }));
    return { avatars, hasMore: (pagination as Record<string, unknown>).has_more === true };
  }

  /** Changes what is heard from the next conversation on. */
  async change(code: string, { voice, character }: AgentChange): Promise<void> {
    const body = { ...(voice !== "" && { voice }), ...(character !== "" && { system_prompt: character }) };
    await this.#send(`v1/agent/${encodeURIComponent(code)}`, { method: "POST", body });
  }

  /** Films the agent while it says a text. */
  async film(code: string, model: string, text: string): Promise<Film> {
    const body = { agent_code: code, model, input: { type: "text", text }, wait: true };
    const answer = await this.#send("v1/video/generate", { method: "POST", body });
    if (answer.status !== "completed") throw new RequestError("FAILED", filmProblem(answer));
    const { video_url: url, subtitles_url: captions, credits_charged: credits, duration_seconds: seconds } = answer;
    return {
      url: atOwnOrigin(String(url), this.#base.href),
      ...(typeof captions === "string" && { captionsUrl: atOwnOrigin(captions, this.#base.href) }),
      credits: Number(credits),
      seconds: Number(seconds),
    };
  }

  /** Credits for each started minute of a film with a model; undefined if the service names no price. */
  async creditsPerMinute(model: string): Promise<number | undefined> {
    const { data } = await this.#send("v1/pricing");
    const { rates } = (data as { talking_video: { rates: Record<string, unknown> } }).talking_video;
    return typeof rates[model] === "number" ? rates[model] : undefined;
  }

  /** Credits for making an agent, for each kind of order that the service takes. */
  async creationPrices(): Promise<Partial<Record<OrderKind, number>>> {
    const { data } = await this.#send("v1/pricing");
    const { by_model: prices } = (data as { agent_generation: { by_model: Record<string, unknown> } }).agent_generation;
    const priceOf = (kind: OrderKind) => {
      const price = prices[MODELS[kind]];
      return typeof price === "number" ? { [kind]: price } : {};
    };
    return { ...priceOf("photograph"), ...priceOf("any") };
  }

  /** What the account has. Not for a page's token. */
  async balance(): Promise<Balance> {
    const { data } = await this.#send("v2/credit-summaries");
    const { balance, is_enterprise: isEnterprise } = data as Record<string, unknown>;
    return { credits: Number(balance), isLimit: isEnterprise !== true };
  }

  /** What an agent has cost so far. Not for a page's token. */
  async costs(code: string): Promise<AgentCosts> {
    const { data } = await this.#send(`v1/usage?limit=${LEDGER_LIMIT}&agent_code=${encodeURIComponent(code)}`);
    const changes = (data as Record<string, unknown>[]).map(({ credits_change: change }) => Number(change) || 0);
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
    return {
      charged: sum(changes.filter((change) => change > 0)),
      refunded: -sum(changes.filter((change) => change < 0)),
    };
  }

  async delete(code: string): Promise<void> {
    await this.#send(`v1/agent/${encodeURIComponent(code)}`, { method: "DELETE" });
  }

  async #send(path: string, options: RequestOptions = {}): Promise<Record<string, unknown>> {
    const send = async () =>
      sendRequest(new URL(path, this.#access.api), {
        ...options,
        hasCookie: this.#access.hasCookie,
        headers: { ...options.headers, ...(await this.#access.headers()) },
      });
    try {
      return await send();
    } catch (error) {
      const isOutdated = error instanceof RequestError && OUTDATED.includes(error.code);
      if (!isOutdated || !(await this.#access.renew())) throw this.#inWords(error);
      return send().catch((again: unknown) => {
        throw this.#inWords(again);
      });
    }
  }

  #inWords(error: unknown): unknown {
    return error instanceof RequestError ? error.inWords(this.#words) : error;
  }
}

/** Reads the status of an agent. */
export function readStatus(data: Record<string, unknown>): AgentStatus {
  const { status, current_step: step, progress_msg: message, error_message: error, model_url: modelUrl } = data;
  const state = status === "ready" || status === "success" ? "ready" : status === "failed" ? "failed" : "making";
  return {
    code: String(data.code),
    name: String(data.name),
    state: state === "making" && step === "awaiting_face_marking" ? "marking" : state,
    progress: Math.min(1, Math.max(0, Number(data.progress) || 0)),
    message: String((state === "failed" && error) || message || ""),
    imageUrl: String(data.image_url ?? ""),
    modelUrl: typeof modelUrl === "string" ? modelUrl : null,
    model: String(data.model ?? ""),
    voice: String(data.voice_id ?? ""),
    character: String(data.system_prompt ?? ""),
  };
}

/** "A guide" becomes "You are a guide."; sentences stay as they are. */
export function asSentence(character: string): string {
  const sentence = /^(you|i)\b/i.test(character)
    ? character
    : `You are ${character.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())}`;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

function filmProblem({ error }: Record<string, unknown>): string {
  const message = (error as Record<string, unknown> | undefined)?.message;
  return typeof message === "string" && message !== "" ? message : "The film takes longer than usual. Try again later.";
}

/** A name that no one else has: of a visitor, for limits, or of an order. `crypto.randomUUID` is absent on pages
 *  without https. */
export function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
