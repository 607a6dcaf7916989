// Starts a module of the tests as a process.
import { type ChildProcess, type ForkOptions, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { moduleFlags } from "../../../program/child-process/module-flags.ts";

/** Forks `module`, written `new URL(…, import.meta.url)` with its path as a literal: a test run
 *  bundles modules that are named so. */
export function forkModule(module: URL, args: readonly string[] = [], options: ForkOptions = {}): ChildProcess {
  return fork(fileURLToPath(module), args, { ...options, execArgv: moduleFlags(module) });
}
