// Something that a button does: whether it is under way, what came of it, and what went wrong.
import { useState } from "react";

export interface Action<Arguments extends unknown[]> {
  run(...given: Arguments): Promise<void>;
  isBusy: boolean;
  /** What the last run threw; undefined after one that worked. */
  error: unknown;
  /** Whether the last run worked. */
  isDone: boolean;
}

/** `act` is not run twice at once. */
export function useAction<Arguments extends unknown[]>(
  act: (...given: Arguments) => Promise<unknown>,
): Action<Arguments> {
  const [state, setState] = useState<"idle" | "busy" | "done">("idle");
  const [error, setError] = useState<unknown>();
  async function run(...given: Arguments): Promise<void> {
    if (state === "busy") return;
    setState("busy");
    setError(undefined);
    try {
      await act(...given);
      setState("done");
    } catch (problem) {
      setError(problem);
      setState("idle");
    }
  }
  return { run, isBusy: state === "busy", error, isDone: state === "done" };
}
