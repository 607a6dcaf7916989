// The avatar worker: registers with LiveKit, keeps idle processes ready, and runs each avatar session in its own
// process.
import { fileURLToPath } from "node:url";
import { AgentServer, initializeLogger, ServerOptions } from "@livekit/agents";
import type { Logger } from "../shared/log.ts";
import type { WorkerProvider } from "../shared/runtime-api.ts";
import { JobIntake } from "./job-intake.ts";
import { workerLoad } from "./worker-load.ts";

/** Timeout for starting a process (native libraries, hearing model), ms. Long, for machines under load. */
const PROCESS_START_TIMEOUT_MS = 60_000;
/** Timeout for stopping a process, ms. A session leaves its room and reports its end much sooner. A process that is
 *  still starting does not handle the request and is killed after this time. */
const PROCESS_STOP_TIMEOUT_MS = 6_000;

export interface WorkerOptions {
  livekitUrl: string;
  livekitApiKey: string;
  livekitApiSecret: string;
  /** Name under which the worker registers; the api dispatches sessions to it. */
  dispatchName: string;
  /** Most sessions at a time; LiveKit sends no more jobs to a full worker. */
  maxSessions: number;
  /** Processes kept ready. Each holds about 170 MB. */
  warmProcesses: number;
  /** Execution providers that this machine has. */
  providers: readonly WorkerProvider[];
  logger: Logger;
}

/** Creates a worker that is not running yet. `run()` registers it and resolves when it is closed. */
export function createAvatarWorker(options: WorkerOptions): AgentServer {
  // The framework logs warnings only; our own log lines cover the rest.
  initializeLogger({ pretty: false, level: "warn" });
  const intake: JobIntake = new JobIntake({
    maxSessions: options.maxSessions,
    activeJobIds: () => server.activeJobs.map(({ job }) => job.id),
    providers: options.providers,
    logger: options.logger,
  });
  const server: AgentServer = new AgentServer(
    new ServerOptions({
      agent: fileURLToPath(new URL("./session/main.ts", import.meta.url)),
      agentName: options.dispatchName,
      wsURL: options.livekitUrl,
      apiKey: options.livekitApiKey,
      apiSecret: options.livekitApiSecret,
      requestFunc: (request) => intake.answer(request),
      loadFunc: async () => workerLoad(intake.heldJobs, options.maxSessions),
      loadThreshold: 1,
      numIdleProcesses: options.warmProcesses,
      initializeProcessTimeout: PROCESS_START_TIMEOUT_MS,
      shutdownProcessTimeout: PROCESS_STOP_TIMEOUT_MS,
      sessionEndTimeout: PROCESS_STOP_TIMEOUT_MS,
      // The framework's health server is not used: it gets any free port, on loopback only.
      host: "127.0.0.1",
      port: 0,
      production: false,
      logLevel: "warn",
    }),
  );
  return server;
}
