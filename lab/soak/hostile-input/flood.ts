// A flood: what a hostile client or server sends to one input of the service, as fast as it can.
import type { LiveKitAddress } from "../../../cli/start/service/given-servers.ts";
import type { SeededRandom } from "../seeded-random.ts";

export interface FloodTarget {
  /** `http://127.0.0.1:…` */
  baseUrl: string;
  apiSecret: string;
  /** The account that owns the secret. */
  userId: string;
  livekit: LiveKitAddress;
  /** An agent of the account with an essence-2 model. */
  agentCode: string;
}

export interface FloodReport {
  /** What was sent: name to count. */
  sent: Record<string, number>;
  /** Bytes that left the flood's process, by its own count. */
  sentBytes: number;
  /** What the service answered: `503 SERVICE_UNAVAILABLE`, `close 1008`, `event invalid_value` to count. */
  answers: Record<string, number>;
  violations: string[];
}

export interface FloodContext {
  target: FloodTarget;
  random: SeededRandom;
  /** Fires at the end of the flood. */
  over: AbortSignal;
  sent(name: string, bytes: number, count?: number): void;
  answered(answer: string): void;
}

/** Floods until `over` fires, and closes what it opened. */
export type Flood = (context: FloodContext) => Promise<void>;

/** Sends JSON with the account's secret, and notes the answer. Resolves with the body; null if there was no answer
 *  before the end of the flood. */
export async function request(
  { target, over, answered }: FloodContext,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown> | null> {
  try {
    const response = await fetch(target.baseUrl + path, {
      method,
      headers: { "api-secret": target.apiSecret, "content-type": "application/json" },
      body: body && JSON.stringify(body),
      signal: over,
    });
    return await noteAnswer(response, answered);
  } catch (error) {
    if (!over.aborted) throw error;
    return null;
  }
}

/** Notes status and error code of an answer, and resolves with its JSON. */
export async function noteAnswer(
  response: Response,
  answered: FloodContext["answered"],
): Promise<Record<string, unknown>> {
  const text = await response.text();
  const body: Record<string, unknown> = text.startsWith("{") ? JSON.parse(text) : {};
  const { code } = (body.error ?? {}) as { code?: string };
  const lacksDelay = [429, 503].includes(response.status) && !response.headers.has("retry-after");
  answered([response.status, code, lacksDelay && "without Retry-After"].filter(Boolean).join(" "));
  return body;
}
