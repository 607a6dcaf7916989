// Child process that runs `avatar` commands from its parent, one after the other. It runs the real program without its
// start-up time of seconds for each command.
import { runAvatar } from "../../../cli/run-avatar.ts";

/** A command that the parent sends. */
export interface HostedCommand {
  words: string[];
  environment: Record<string, string | undefined>;
}

/** What a command wrote and how it exited. */
export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

type Write = typeof process.stdout.write;

process.on("message", async ({ words, environment }: HostedCommand) => {
  const outcome: Outcome = { code: 0, stdout: "", stderr: "" };
  const originals = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const stream of ["stdout", "stderr"] as const) {
    process[stream].write = ((text: string | Uint8Array) => {
      outcome[stream] += typeof text === "string" ? text : Buffer.from(text).toString();
      return true;
    }) as Write;
  }
  await runAvatar(words, { ...process.env, ...environment });
  for (const stream of ["stdout", "stderr"] as const) process[stream].write = originals[stream];
  outcome.code = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  process.send?.(outcome);
});
process.on("disconnect", () => process.exit());
