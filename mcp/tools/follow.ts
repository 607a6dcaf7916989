// Long work: a tool that tells its state can also wait for its end.
import { setTimeout as sleep } from "node:timers/promises";
import type { ToolContext } from "../tool.ts";

/** Time between two looks, ms. */
const POLL_MS = 1_000;

export interface Following<State> {
  /** How long to wait for the end. */
  seconds: number;
  look(): Promise<State>;
  /** 0 to 1, and what is done now. */
  progressOf(state: State): { progress: number; message?: string };
  isEnd(state: State): boolean;
}

/** The state at the end, or after `seconds`. Rejects when the call is cancelled. */
export async function follow<State>(
  { seconds, look, progressOf, isEnd }: Following<State>,
  { signal, report }: ToolContext,
): Promise<State> {
  const deadlineMs = performance.now() + seconds * 1_000;
  for (;;) {
    const state = await look();
    const { progress, message } = progressOf(state);
    if (seconds > 0) report(progress, message);
    if (isEnd(state) || performance.now() + POLL_MS > deadlineMs) return state;
    await sleep(POLL_MS, undefined, { signal });
  }
}
