// The avatar worker: registers with LiveKit, keeps a process warm, and gives each avatar session a process of its own.
import { fileURLToPath } from "node:url";
import { AgentServer, initializeLogger, ServerOptions } from "@livekit/agents";
import type { Logger } from "../shared/log.ts";
import type { WorkerProvider } from "../shared/runtime-api.ts";
import { JobIntake } from "./job-intake.ts";
import { workerLoad } from "./worker-load.ts";

/** Loads a process: the native libraries, the hearing model. Generous, for machines under load. */
const PROCESS_START_TIMEOUT_MS = 60_000;
/** A session leaves its room and reports its end in well under this; a process that is only just starting hears
 *  nothing yet and is ended after it. */
const PROCESS_STOP_TIMEOUT_MS = 6_000;

export interface WorkerOptions {
  livekitUrl: string;
  livekitApiKey: string;
  livekitApiSecret: string;
  /** Name under which the worker registers; the api dispatches sessions to it. */
  dispatchName: string;
  /** Sessions at a time; at this many LiveKit sends no more. */
  maxSessions: number;
  /** Processes kept ready. Each holds about 170 MB. */
  warmProcesses: number;
  /** Execution providers that this machine has. */
  providers: readonly WorkerProvider[];
  logger: Logger;
}

/** A worker that is not yet running: `run()` registers it and resolves when it is closed. */
export function createAvatarWorker(options: WorkerOptions): AgentServer {
  // The framework's own lines: warnings only, ours say the rest.
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
      // The framework's own health page, unused: any free port, on loopback only.
      host: "127.0.0.1",
      port: 0,
      production: false,
      logLevel: "warn",
    }),
  );
  return server;
}
