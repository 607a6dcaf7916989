// Follows the creation of an agent until it is ready or has failed.
import { RequestError } from "../shared/request-error.ts";
import type { AgentClient, AgentStatus } from "./agent-client.ts";

/** A creation takes about five seconds; a person who marks a face needs a minute. */
const POLL_MS = { making: 400, marking: 2000 } as const;
/** After so many, a creation is one that waits for a busy service: its account's other requests need their share. */
const QUICK_POLLS = 40;
/** Waits after requests that failed. */
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 15_000;
/** Failures of the connection or the service, which may pass. */
const PASSING = ["NETWORK", "RATE_LIMITED", "SERVICE_UNAVAILABLE", "INTERNAL_ERROR", "BAD_ANSWER"];

export interface FollowOptions {
  client: Pick<AgentClient, "status">;
  code: string;
  /** Each new status. */
  onStatus(status: AgentStatus): void;
  /** A request failed and will be repeated. */
  onTrouble(message: string): void;
  signal: AbortSignal;
  /** Default: `setTimeout`. Rejects once the signal fires. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The last status. Throws RequestError if the agent cannot be followed, and the signal's reason once it fires. */
export async function followAgent(options: FollowOptions): Promise<AgentStatus> {
  const { client, code, onStatus, onTrouble, signal, wait = waitMs } = options;
  for (let failures = 0, polls = 1; ; polls++) {
    let delayMs: number;
    try {
      const status = await client.status(code, signal);
      signal.throwIfAborted();
      onStatus(status);
      if (status.state === "ready" || status.state === "failed") return status;
      delayMs = POLL_MS[polls > QUICK_POLLS ? "marking" : status.state];
      failures = 0;
    } catch (error) {
      if (!(error instanceof RequestError && PASSING.includes(error.code))) throw error;
      onTrouble(error.message);
      const backoffMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures++);
      delayMs = Math.max(backoffMs, 1000 * (error.retryAfterSeconds ?? 0));
    }
    await wait(delayMs, signal);
  }
}

function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
