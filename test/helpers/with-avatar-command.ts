// The `avatar` command in a process that stays, for tests that type many commands.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { HostedCommand, Outcome } from "./avatar-host.ts";

const HOST = fileURLToPath(new URL("avatar-host.ts", import.meta.url));

/** Runs one command; `environment` is added to our own. */
export type RunAvatar = (words: string[], environment?: Record<string, string>) => Promise<Outcome>;

/** Gives `work` a function that runs commands, one at a time, in the folder `cwd`. */
export async function withAvatarCommand<T>(cwd: string, work: (run: RunAvatar) => Promise<T>): Promise<T> {
  const host = fork(HOST, { cwd, execArgv: ["--import", import.meta.resolve("tsx")] });
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
      return outcome;
    });
  } finally {
    if (host.connected) host.disconnect();
    await exited;
  }
}
