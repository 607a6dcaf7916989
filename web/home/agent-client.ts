// The requests about agents.
import type { Access } from "../shared/access.ts";
import { RequestError } from "../shared/request-error.ts";
import { type RequestOptions, sendRequest } from "../shared/send-request.ts";

export const SHAPES = ["1:1", "16:9", "9:16"] as const;
export type Shape = (typeof SHAPES)[number];

export interface AgentOrder {
  /** The picture as a data URI. */
  image: string;
  /** Name and character in a sentence; empty for the service's choice. */
  prompt: string;
  shape: Shape;
  /** `photograph` refuses everything but one person's face; `any` lets a person mark what the service does not find. */
  kind: "photograph" | "any";
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
}

/** An estimate. Once the avatar is ready, its status says whether it was right. */
const ESTIMATE = "PICTURE_TOO_TIGHT";
/** Answers to a token that has expired or was revoked with its secret. */
const OUTDATED = ["MISSING_AUTH", "UNAUTHORIZED"];
const MODELS = { photograph: "essence-2", any: "expression-2" } as const;

/** Each method throws RequestError. */
export class AgentClient {
  readonly #base: URL;
  readonly #access: Access;

  /** `base` is the address of the start page: all routes lie below it. */
  constructor(base: URL, access: Access) {
    this.#base = base;
    this.#access = access;
  }

  /** Begins to make an agent. Returns its code, and what the service says about the order. */
  async create(order: AgentOrder, signal: AbortSignal): Promise<{ code: string; notes: string[] }> {
    const { image, prompt, shape, kind } = order;
    const body = { image, model: MODELS[kind], aspect_ratio: shape, ...(prompt !== "" && { prompt }) };
    const answer = await this.#send("v1/agent/generate", { method: "POST", body, signal });
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

  async delete(code: string): Promise<void> {
    await this.#send(`v1/agent/${encodeURIComponent(code)}`, { method: "DELETE" });
  }

  async #send(path: string, options: RequestOptions = {}): Promise<Record<string, unknown>> {
    const send = async () =>
      sendRequest(new URL(path, this.#base), { ...options, headers: await this.#access.headers() });
    try {
      return await send();
    } catch (error) {
      const isOutdated = error instanceof RequestError && OUTDATED.includes(error.code);
      if (!isOutdated || !(await this.#access.renew())) throw error;
      return send();
    }
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
  };
}

/** A visitor's name, for limits per visitor. `crypto.randomUUID` is absent on pages without https. */
function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
