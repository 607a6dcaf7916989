// Waits for an agent that is being made.
import type { Call } from "./call-types.ts";
import { AgentFailedError, ApiError, ConnectionError, TimeoutError } from "./errors.ts";
import type { Agent, AgentsGenerateResponse } from "./generated/types.gen.ts";
import { wait } from "./wait.ts";

export interface ReadyOptions {
  /** Called with the agent after each look that found a change. */
  onProgress?(agent: Agent): void;
  /** Ends the waiting; the agent is made all the same. */
  signal?: AbortSignal;
  /** Time between two looks, ms. Default: 1,000 at first, up to 5,000. */
  pollMs?: number;
  /** Longest wait, ms. Default: three hours, which the slowest models take. */
  timeoutMs?: number;
}

/** An order of an agent: a promise of its id. */
export interface AgentCreation extends Call<AgentsGenerateResponse> {
  /** Waits until the agent is made. Rejects with AgentFailedError if it could not be made, and with TimeoutError. */
  ready(options?: ReadyOptions): Promise<Agent>;
}

const FIRST_POLL_MS = 1_000;
const LAST_POLL_MS = 5_000;
const TIMEOUT_MS = 3 * 3_600_000;
/** Looks in a row that may fail: the service may restart meanwhile. */
const MAX_FAILURES = 10;

/** Looks at the agent until it is made. `look` gets its status. `isOrdered`: its making began just before, so that a
 *  failure which the first look finds is of this order, and not an earlier one. */
export async function untilReady(
  look: (signal?: AbortSignal) => Promise<Agent>,
  { isOrdered, ...options }: ReadyOptions & { isOrdered: boolean },
): Promise<Agent> {
  const { onProgress, signal, pollMs, timeoutMs = TIMEOUT_MS } = options;
  const deadlineMs = performance.now() + timeoutMs;
  let first: Agent | undefined;
  let shown = "";
  let failures = 0;
  for (let delayMs = pollMs ?? FIRST_POLL_MS; ; delayMs = pollMs ?? Math.min(LAST_POLL_MS, delayMs * 1.5)) {
    try {
      const agent = await look(signal);
      failures = 0;
      first ??= agent;
      const seen = [agent.status, agent.progress, agent.current_step, agent.progress_msg].join("\n");
      if (seen !== shown) onProgress?.(agent);
      shown = seen;
      if (isEnd(agent)) {
        const before = isOrdered && first === agent ? {} : (first.model_status ?? {});
        const reason = failureOf(agent, before);
        if (reason !== undefined) throw new AgentFailedError(reason, agent);
        return agent;
      }
    } catch (error) {
      signal?.throwIfAborted();
      failures++;
      if (!isPassing(error) || failures > MAX_FAILURES) throw error;
    }
    if (performance.now() + delayMs > deadlineMs) {
      throw new TimeoutError(`The agent is not ready after ${timeoutMs} ms (${shown.split("\n")[0] || "no status"})`);
    }
    await wait(delayMs, signal);
  }
}

/** Services write `completed`, and some `success`, on the way: those are no ends. */
function isEnd({ status, progress }: Agent): boolean {
  return status === "ready" || status === "failed" || (status === "success" && progress >= 1);
}

/** Why the agent was not made; undefined if it was. One that had a working model is ready again, and the reason is at
 *  the model; a reason that was there before is of an earlier time. */
function failureOf(agent: Agent, before: Partial<Agent["model_status"]>): string | undefined {
  if (agent.status === "failed") return agent.error_message ?? "The agent could not be made.";
  return Object.entries(agent.model_status ?? {})
    .map(([model, { reason }]) => (reason && reason !== before[model]?.reason ? reason : undefined))
    .find((reason) => reason !== undefined);
}

function isPassing(error: unknown): boolean {
  return (
    error instanceof ConnectionError ||
    (error instanceof ApiError && (error.httpStatus === 429 || error.httpStatus >= 500))
  );
}
