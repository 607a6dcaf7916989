// A process of the realtime benchmark, so that its CPU is not measured and its work delays nothing.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { moduleFlags } from "../../../program/child-process/module-flags.ts";

/** Forks `module`, which gets `args`. Messages may hold typed arrays. */
export function startHelper(module: URL, args: readonly string[] = []): ChildProcess {
  return fork(fileURLToPath(module), args, { execArgv: moduleFlags(module), serialization: "advanced" });
}

/** Its first message. Rejects if it ends before. */
export async function firstMessage<T>(child: ChildProcess): Promise<T> {
  const waiting = new AbortController();
  const ended = once(child, "exit", { signal: waiting.signal }).then(() => {
    throw new Error("a process of the benchmark has ended");
  });
  try {
    const message = once(child, "message", { signal: waiting.signal }).then(([first]) => first as T);
    return await Promise.race([message, ended]);
  } finally {
    ended.catch(() => undefined);
    waiting.abort();
  }
}

/** Idempotent. */
export async function endHelper(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill();
  await exited;
}
