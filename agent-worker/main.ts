// Entry point of the avatar worker: the worker, its loopback server and its server of realtime sessions.
import { hostname } from "node:os";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { ConfigError } from "../program/config.ts";
import { type ProgramContext, type RunningProgram, runProgram } from "../program/run-program.ts";
import { startMetricsServer } from "../program/telemetry/metrics-server.ts";
import { openTracer } from "../program/telemetry/open-tracer.ts";
import { VERSION } from "../program/version.ts";
import { AGENT_NAME, GPU_NAME_SUFFIX } from "../shared/wire-names.ts";
import { verifyRealtimeToken } from "../shared/worker-token.ts";
import { GpuLoad } from "./capacity/gpu-load.ts";
import { AccountBudgets } from "./realtime/account-budgets.ts";
import { realtimeHost, realtimeUrl } from "./realtime/realtime-address.ts";
import { REALTIME_PATH, RealtimeServer } from "./realtime/realtime-server.ts";
import { ClockCheck } from "./service/clock-check.ts";
import { HealthServer } from "./service/health-server.ts";
import type { JobListener } from "./service/job-source.ts";
import { WorkerConnection } from "./service/worker-connection.ts";
import { WorkerReporter } from "./service/worker-reporter.ts";
import { AvatarWorker } from "./supervisor/avatar-worker.ts";
import { findProviders } from "./supervisor/find-providers.ts";
import { WorkerMetrics } from "./supervisor/worker-metrics.ts";
import { LlmSource } from "./tasks/llm-source.ts";
import { WORKER_PARTS, type WorkerConfig } from "./worker-config.ts";

async function start(config: WorkerConfig, { logger }: ProgramContext): Promise<RunningProgram> {
  const { url, apiKey, apiSecret, dispatchName } = config.livekit;
  if (!url || !apiKey || !apiSecret) {
    throw new ConfigError(["LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET must be set for a worker"]);
  }
  const providers = await findProviders(logger);
  const livekitKey = { apiKey, apiSecret };
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const tracer = await openTracer(config.traces, "worker", logger);
  const workerMetrics = new WorkerMetrics(metrics);
  const openJobs = (name: string) => (listener: JobListener) =>
    new WorkerConnection({
      url,
      key: livekitKey,
      dispatchName: name,
      participant: { identity: AGENT_NAME, name: "Avatar" },
      listener,
      logger,
    });
  const card = new GpuLoad({ visibleDevices: process.env.CUDA_VISIBLE_DEVICES });
  const hasGpu = providers.includes("cuda");
  if (hasGpu) card.start();
  const worker = new AvatarWorker({
    openJobs: openJobs(dispatchName),
    gpu: hasGpu
      ? {
          card,
          rendersAll: config.rendering.provider === "cuda",
          openJobs: openJobs(dispatchName + GPU_NAME_SUFFIX),
        }
      : undefined,
    maxSessions: config.worker.maxSessions,
    isMeasured: config.worker.isMeasured,
    maxFps: config.rendering.maxFps,
    environment: process.env,
    llm: new LlmSource({
      settings: config.languageModel,
      host: config.http.host,
      ownPorts: [config.http.port, config.worker.port],
    }),
    providers,
    onEvent: workerMetrics.take,
    tracer,
    onChange: () => reportNow(),
    logger,
  });
  const { services, voices, most } = worker.realtimeShare;
  const mostRealtime = (held: number): number => most(held, config.worker.maxRealtimeSessions);
  const budgets = new AccountBudgets();
  const realtime = new RealtimeServer({
    host: realtimeHost(config.http.host),
    port: config.worker.realtimePort,
    // Calls arrive only after a report has told the address.
    isAuthorized: async (header) => {
      const url = realtimeAddress();
      return url !== undefined && verifyRealtimeToken(header, livekitKey, { workerId: reporter.workerId, url });
    },
    hasCapacity: (held) => held < mostRealtime(held),
    mostTranscriptions: Math.max(1, Math.floor(config.worker.maxRealtimeSessions / 2)),
    prepare: async (request) => {
      // Only realtime sessions load it.
      const { openRealtimeSession } = await import("./realtime/open-realtime-session.ts");
      return openRealtimeSession({
        request,
        config,
        services,
        voices,
        budgets,
        onEvent: workerMetrics.take,
        logger,
      });
    },
    onChange: () => reportNow(),
    logger,
  });
  const realtimePort = config.worker.maxRealtimeSessions > 0 ? await realtime.start() : undefined;
  const realtimeAddress = (): string | undefined =>
    realtimePort === undefined ? undefined : realtimeUrl(config.http.host, realtimePort, REALTIME_PATH);
  const reportNow = (): void => void ((worker.isReady || isStopping) && reporter.start());
  let isStopping = false;
  const clock = new ClockCheck({ apiUrl: config.http.apiUrl, now: Date.now, logger });
  const reporter = new WorkerReporter({
    apiUrl: config.http.apiUrl,
    livekit: livekitKey,
    status: () =>
      worker.isReady || isStopping
        ? {
            providers,
            active_sessions: worker.admission.sessionCount,
            max_sessions: worker.admission.capacity,
            light_sessions: worker.admission.lightCount,
            max_light_sessions: worker.admission.lightCapacity,
            max_gpu_sessions: worker.admission.gpuCapacity ?? undefined,
            realtime_url: realtime.hasCapacity && !isStopping ? realtimeAddress() : undefined,
            realtime_slots: realtimePort === undefined || isStopping ? 0 : mostRealtime(realtime.sessionCount),
            host: hostname(),
            version: VERSION,
            cores: worker.machine.cores,
            free_cores: worker.machine.freeCores,
            session_cores: worker.sessionCores,
            light_session_cores: worker.lightSessionCores,
            is_draining: isStopping,
          }
        : null,
    logger,
  });
  workerMetrics.measure(worker);
  new Gauge({
    name: "avatar_worker_realtime_sessions",
    help: "Realtime sessions that this worker runs now",
    registers: [metrics],
    collect() {
      this.set(realtime.sessionCount);
    },
  });
  const health = new HealthServer({
    port: config.worker.port,
    status: () => {
      const { sessionCount, lightCount, capacity } = worker.admission;
      return {
        isReady: worker.isReady,
        activeSessions: sessionCount + lightCount,
        maxSessions: capacity + lightCount,
      };
    },
    metrics,
    logger,
  });
  const port = await health.start();
  const metricsServer = await startMetricsServer(config.metrics, metrics, logger);
  logger.info({ port }, "worker listening on loopback");
  if (realtimePort !== undefined) logger.info({ realtimePort }, "realtime server listening");
  clock.start();
  worker.start();
  return {
    drainMs: config.worker.drainMs,
    async drain(limitMs) {
      isStopping = true;
      clock.close();
      const drained = Promise.all([worker.drain(limitMs), realtime.drain(limitMs)]);
      // That it drains, until the last session has ended.
      reporter.start();
      await drained;
    },
    async close() {
      isStopping = true;
      // Not awaited: sessions must not wait for an api that cannot be reached.
      void reporter.close();
      await realtime.close();
      await worker.close();
      await health.close();
      await metricsServer?.close();
      await tracer.close();
    },
    load: () => ({ activeSessions: worker.admission.sessionCount + worker.admission.lightCount }),
  };
}

await runProgram({ name: "agent-worker", parts: WORKER_PARTS, start });
