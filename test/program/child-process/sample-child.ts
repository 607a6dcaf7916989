// A task process for the tests: each task names what it does.
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { limitMemory, serveTasks } from "../../../program/child-process/serve-tasks.ts";
import { EngineError } from "../../../shared/engine-error.ts";

const [, , folder] = process.argv;
const hoard: Uint8Array[] = [];

limitMemory(400_000_000);
serveTasks<string, unknown>(async (task, onProgress, signal) => {
  if (task === "refuse") throw new EngineError("unsupported-media", "not this one");
  if (task === "fail") throw new TypeError("a mistake of ours");
  if (task === "throw later") {
    setTimeout(() => {
      throw new TypeError("a mistake in a timer");
    }, 1);
    await new Promise(() => setInterval(() => undefined, 1000));
  }
  if (task === "environment") return process.env;
  if (task === "grow") for (;;) hoard.push(new Uint8Array(10_000_000).fill(1));
  if (task.startsWith("until ")) while (!existsSync(task.slice("until ".length))) await delay(10);
  if (task === "await its end") {
    onProgress(0.5);
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  }
  if (task === "hang") {
    writeFileSync(join(folder, "left-behind"), "");
    const { pid } = spawn("sleep", ["600"]);
    onProgress(pid ?? 0);
    onProgress(process.pid);
    await new Promise(() => setInterval(() => undefined, 1000));
  }
  return { task, pid: process.pid, folder };
});
