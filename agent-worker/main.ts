// Entry point of the avatar worker: reads the environment, starts the worker and its loopback server, and shuts down
// gracefully on SIGTERM or SIGINT.
import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { AgentServer } from "@livekit/agents";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { ConfigError, parseConfig } from "../shared/config.ts";
import { createLogger } from "../shared/log.ts";
import { findProviders } from "./find-providers.ts";
import { HealthServer } from "./health-server.ts";
import { PLAYOUT_URL_VARIABLE, PlayoutFigures } from "./playout/playout-figures.ts";
import { createAvatarWorker } from "./worker.ts";
import { WorkerReporter } from "./worker-reporter.ts";

/** Time for waiting processes to end by themselves when the worker closes, in ms. */
const IDLE_GRACE_MS = 300;

async function main(): Promise<void> {
  const config = parseConfig(process.env);
  const { LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET } = config;
  if (!LIVEKIT_URL || !LIVEKIT_API_KEY || !LIVEKIT_API_SECRET) {
    throw new ConfigError(["LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET must be set for a worker"]);
  }
  const logger = createLogger({
    level: config.AVATAR_LOG_LEVEL,
    name: "agent-worker",
    personal: config.AVATAR_LOG_PERSONAL,
  });
  const maxSessions = config.AVATAR_MAX_SESSIONS;
  const providers = await findProviders(logger);
  const worker = createAvatarWorker({
    livekitUrl: LIVEKIT_URL,
    livekitApiKey: LIVEKIT_API_KEY,
    livekitApiSecret: LIVEKIT_API_SECRET,
    dispatchName: config.AVATAR_DISPATCH_NAME,
    maxSessions,
    warmProcesses: Math.min(maxSessions, Math.max(1, Math.floor(availableParallelism() / 2))),
    providers,
    logger,
  });
  // Every session of the worker depends on this process. An unhandled rejection, ours or a library's, must not end it.
  process.on("unhandledRejection", (error) => logger.error({ err: error }, "unhandled rejection"));
  let isRegistered = false;
  let isStopping = false;
  const reporter = new WorkerReporter({
    apiUrl: config.apiUrl,
    livekit: { apiKey: LIVEKIT_API_KEY, apiSecret: LIVEKIT_API_SECRET },
    status: () =>
      isRegistered && !isStopping
        ? { providers, active_sessions: worker.activeJobs.length, max_sessions: maxSessions }
        : null,
    logger,
  });
  worker.event.on("worker_registered", () => {
    isRegistered = true;
    reporter.start();
    logger.info({ maxSessions }, "worker registered");
  });
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  new Gauge({
    name: "avatar_worker_active_sessions",
    help: "Avatar sessions that this worker serves now",
    registers: [metrics],
    collect() {
      this.set(worker.activeJobs.length);
    },
  });
  const playout = new PlayoutFigures(metrics);
  const health = new HealthServer({
    port: config.AVATAR_WORKER_PORT,
    status: () => ({ isReady: isRegistered, activeSessions: worker.activeJobs.length, maxSessions }),
    metrics,
    playout,
    logger,
  });
  const port = await health.start();
  // The framework forks the session processes and passes them only the environment. On the command line, every user of
  // the machine could read the key.
  process.env[PLAYOUT_URL_VARIABLE] = `http://127.0.0.1:${port}${playout.path}`;
  logger.info({ port }, "worker listening on loopback");

  /** The first signal drains: running sessions may continue for `drainMs`. The second signal ends them at once. */
  const stop = async (signal: string): Promise<void> => {
    const drainMs = isStopping ? 0 : config.AVATAR_WORKER_DRAIN_SECONDS * 1000;
    isStopping = true;
    // Not awaited: sessions must not wait for an api that cannot be reached.
    void reporter.close();
    logger.info({ signal, activeSessions: worker.activeJobs.length, drainMs }, "worker stopping");
    if (drainMs > 0 && worker.activeJobs.length > 0) {
      await worker.drain(drainMs).catch((error) => logger.warn({ err: error }, "sessions outlasted the drain"));
    }
    await closeWorker(worker);
    await health.close();
    process.exit(0);
  };
  const stopOrExit = (signal: string): void => {
    stop(signal).catch((error) => {
      logger.error({ err: error, signal }, "worker shutdown failed");
      process.exit(1);
    });
  };
  process.on("SIGTERM", stopOrExit);
  process.on("SIGINT", stopOrExit);
  await worker.run();
}

/** Resolves when the sessions have ended. It does not wait for processes without a job: they hold no state, and a
 *  process that is still loading does not handle the shutdown message. They exit when their IPC channel closes. */
async function closeWorker(worker: AgentServer): Promise<void> {
  const untilSessionsEnded = async () => {
    do await delay(IDLE_GRACE_MS);
    while (worker.activeJobs.length > 0);
  };
  await Promise.race([worker.close(), untilSessionsEnded()]);
}

main().catch((error) => {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
});
