// `avatar worker`: a worker on a machine of its own, which reports to a service elsewhere.
import type { Command } from "commander";
import type { Environment } from "../../terminal/environment.ts";
import type { WorkerRequest } from "./run-worker.ts";

export function registerWorker(program: Command, environment: Environment): void {
  program
    .command("worker")
    .description("Serve avatars on this machine, launched over HTTP and metered by a service elsewhere")
    .option("--api-url <url>", "address of the service (AVATAR_API_URL)")
    .option("--host <address>", "address to listen on (HOST, default 127.0.0.1)")
    .option("--port <number>", "port to listen on (AVATAR_WORKER_PORT, default 8089); 0 takes a free one")
    .option("--public", "allow another address than loopback; every launch then needs a credential")
    .option("--max-sessions <count>", "most sessions at a time (MAX_SESSIONS, default 8)")
    .option("--idle-timeout <seconds>", "leave rooms without users and audio after this (SESSION_IDLE_TIMEOUT)")
    .option("--data-dir <folder>", "folder for downloaded avatars (AVATAR_DATA_DIR, default .data)")
    .option("--json", "print one JSON object once the worker listens: {schema_version, host, port, url, pid}")
    .addHelpText("after", HELP)
    .action(async (request: WorkerRequest) => {
      const { runWorker } = await import("./run-worker.ts");
      await runWorker(request, environment);
    });
}

const HELP = `
The API secret that pays is read from AVATAR_API_SECRET; without it, each launch brings a secret or a minted token.
Logs go to standard error. Ctrl-C ends the sessions; AVATAR_WORKER_DRAIN_SECONDS lets them go on for a while.
docs/operating/self-hosted.md describes launches, listings and billing.
`;
