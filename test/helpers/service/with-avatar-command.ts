// The `avatar` command in a process that is reused, for tests that run many commands.
import { once } from "node:events";
import { forkModule } from "../processes/fork-module.ts";
import type { HostedCommand, Outcome } from "./avatar-host.ts";
import { checkShape } from "./check-shape.ts";

/** Runs one command; `environment` is added to our own. */
export type RunAvatar = (words: string[], environment?: Record<string, string>) => Promise<Outcome>;

/** Gives `work` a function that runs commands, one at a time, in the folder `cwd`. It throws if what a command prints
 *  with --json is not as `avatar __schema` says. */
export async function withAvatarCommand<T>(cwd: string, work: (run: RunAvatar) => Promise<T>): Promise<T> {
  const host = forkModule(new URL("./avatar-host.ts", import.meta.url), [], { cwd });
  const exited = once(host, "exit");
  const died = exited.then(([code, signal]) => {
    throw new Error(`the process of the commands ended (${signal ?? `status ${code}`})`);
  });
  died.catch(() => undefined);
  try {
    return await work(async (words, environment = {}) => {
      const answered = once(host, "message");
      host.send({ words, environment } satisfies HostedCommand);
      const [outcome] = await Promise.race([answered, died]);
      checkShape(words, outcome);
      return outcome;
    });
  } finally {
    if (host.connected) host.disconnect();
    await exited;
  }
}
