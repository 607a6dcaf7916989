// Starts a peer's process and scores what it answers.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { StartError } from "../../../../cli/start/start-error.ts";
import { moduleFlags } from "../../../../program/child-process/module-flags.ts";
import type { PeerName } from "./peer.ts";
import type { PeerJob, PeerReport } from "./peer-process.ts";

/** Rhubarb takes 1 to 2 s for a second of audio; a busy machine takes several times that. */
const TIMEOUT_MS_PER_SECOND = 30_000;
const PROGRAM = new URL("./peer-process.ts", import.meta.url);
const TIMEOUT_MS_AT_LEAST = 120_000;

export type PeerResult = Exclude<PeerReport, { error: string }>;

/** All clips (mono, [−1, 1], 16 kHz) through one installed peer. Throws StartError if it fails or takes too long. */
export async function runPeer(name: PeerName, folder: string, recordings: Float32Array[]): Promise<PeerResult> {
  const child = fork(fileURLToPath(PROGRAM), {
    execArgv: moduleFlags(PROGRAM),
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const seconds = recordings.reduce((sum, audio) => sum + audio.length, 0) / 16_000;
  const timeoutMs = TIMEOUT_MS_AT_LEAST + seconds * TIMEOUT_MS_PER_SECOND;
  let timer: NodeJS.Timeout | undefined;
  try {
    const report = await new Promise<PeerReport>((resolve) => {
      child.once("message", resolve as (message: unknown) => void);
      child.once("exit", (code, signal) => resolve({ error: `it ended with ${code ?? signal}` }));
      timer = setTimeout(() => resolve({ error: "it took too long" }), timeoutMs);
      child.send({ name, folder, recordings } satisfies PeerJob);
    });
    if ("error" in report)
      throw new StartError(`${name} failed: ${report.error}`, "Leave out --peers to measure our lip sync alone.");
    return report;
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}
