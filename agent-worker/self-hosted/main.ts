// Entry point of the worker of a machine of its own: it is launched over HTTP and reports to the service of its
// account. It reads the account's secret, and takes it out of its environment before it starts any other process.
import { hostname } from "node:os";
import { join } from "node:path";
import { collectDefaultMetrics, Registry } from "prom-client";
import { ConfigError } from "../../program/config.ts";
import { MAX_PORTRAIT_BYTES } from "../../program/http/portrait-input.ts";
import { createAddressGuard } from "../../program/outgoing/address-guard.ts";
import { isLoopbackHost, LOOPBACK_NAMES } from "../../program/outgoing/loopback.ts";
import { createOutgoingClient } from "../../program/outgoing/outgoing-client.ts";
import { type ProgramContext, type RunningProgram, runProgram } from "../../program/run-program.ts";
import { startMetricsServer } from "../../program/telemetry/metrics-server.ts";
import { openTracer } from "../../program/telemetry/open-tracer.ts";
import { RIG_GENERATOR_VERSION } from "../../src/face/rig/generator-version.ts";
import { GpuLoad } from "../capacity/gpu-load.ts";
import { HealthServer } from "../service/health-server.ts";
import { AvatarWorker } from "../supervisor/avatar-worker.ts";
import { findProviders } from "../supervisor/find-providers.ts";
import { WorkerMetrics } from "../supervisor/worker-metrics.ts";
import { LlmSource } from "../tasks/llm-source.ts";
import { Access } from "./access.ts";
import { AccountService } from "./account-service.ts";
import { BundleStore } from "./faces/bundle-store.ts";
import { FaceProbes } from "./faces/face-probes.ts";
import { FaceWorkshop } from "./faces/face-workshop.ts";
import { readDefaultFace } from "./faces/read-default-face.ts";
import { LaunchJobs } from "./launch-jobs.ts";
import { LaunchRoutes } from "./launch-routes.ts";
import { LocalRuntime } from "./local-runtime.ts";
import { readInstallId } from "./read-install-id.ts";
import { SELF_HOSTED_PARTS, type SelfHostedConfig } from "./self-hosted-config.ts";
import { ServiceContact } from "./service-contact.ts";
import { TaskList } from "./task-list.ts";

/** Time to fetch an image of a caller, who waits meanwhile. */
const IMAGE_TIMEOUT_MS = 10_000;
/** The addresses of this machine, for LiveKit servers on it. */
const THIS_MACHINE = ["127.0.0.1", "::1", ...LOOPBACK_NAMES];

async function start(config: SelfHostedConfig, { logger, end }: ProgramContext): Promise<RunningProgram> {
  const { apiSecret: secret, maxSessions } = config.selfHosted;
  const { host } = config.http;
  if (config.selfHosted.usesApiKey) logger.warn("AVATAR_API_KEY is deprecated; set AVATAR_API_SECRET in its place");
  delete process.env.AVATAR_API_SECRET;
  delete process.env.AVATAR_API_KEY;
  if (!config.http.hasOwnApiUrl) {
    throw new ConfigError(["AVATAR_API_URL: required, the address of the service that sessions are reported to"]);
  }
  const isPublic = !isLoopbackHost(host);
  if (isPublic && !config.selfHosted.mayBePublic) {
    throw new ConfigError([
      `HOST=${host} opens this worker to others. Set AVATAR_WORKER_PUBLIC=1 (--public) if that is meant: ` +
        "every launch then needs a credential.",
    ]);
  }
  const providers = await findProviders(logger);
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const workerMetrics = new WorkerMetrics(metrics);
  const tracer = await openTracer(config.traces, "worker", logger);
  const installId = await readInstallId(config.disk.dataDir);
  const service = new AccountService({ apiUrl: config.http.apiUrl });
  const bundles = new BundleStore({ folder: join(config.disk.dataDir, "bundles"), logger });
  const workshop = new FaceWorkshop({ logger });
  const defaultFace = (): Promise<Uint8Array> =>
    bundles.remember(`default face ${RIG_GENERATOR_VERSION}`, async () => workshop.bake(await readDefaultFace()));
  const tasks = new TaskList({ ...config.selfHosted.tasks, now: () => Date.now() });
  const outgoing = createOutgoingClient(config.outgoing);
  // A LiveKit server on this machine is reachable for those who can reach this worker anyway.
  const allowedHosts = isPublic ? [] : THIS_MACHINE;
  const livekitGuard = createAddressGuard({ ...config.outgoing, allowHosts: allowedHosts });
  const runtime = new LocalRuntime({ logger });
  await runtime.start();
  const contact = new ServiceContact({
    service,
    secret,
    installId,
    logger,
    onRefused: ({ code, message }) => {
      report(`The service at ${config.http.apiUrl} refuses AVATAR_API_SECRET (${code}): ${message}`);
      end("refused", 1);
    },
  });
  let hasBeenReady = false;
  const isWarm = (): boolean => {
    hasBeenReady ||= worker.readyProcessCount > 0;
    return hasBeenReady;
  };
  const freeSlots = (): number =>
    isWarm() ? Math.max(0, worker.admission.capacity - worker.admission.sessionCount) : 0;
  const jobs: LaunchJobs = new LaunchJobs({
    service,
    contact,
    runtime,
    bundles,
    workshop,
    tasks,
    defaultFace,
    providers,
    freeSlots,
    installId,
    logger,
    fetchImage: async (url) => {
      const limits = { maxBytes: MAX_PORTRAIT_BYTES, timeoutMs: IMAGE_TIMEOUT_MS };
      return (await outgoing.download(url, limits)).bytes;
    },
    host: hostname(),
    idleTimeoutMs: config.selfHosted.idleTimeoutMs,
  });
  const card = new GpuLoad({ visibleDevices: process.env.CUDA_VISIBLE_DEVICES });
  const hasGpu = providers.includes("cuda");
  if (hasGpu) card.start();
  const worker: AvatarWorker = new AvatarWorker({
    openJobs: (listener) => jobs.attach(listener),
    maxSessions,
    isMeasured: config.selfHosted.isMeasured,
    environment: process.env,
    gpu: hasGpu ? { card, rendersAll: config.rendering.provider === "cuda" } : undefined,
    allowedHosts,
    llm: new LlmSource({
      settings: config.languageModel,
      host,
      ownPorts: [config.http.port, config.selfHosted.port],
    }),
    providers,
    onEvent: workerMetrics.take,
    tracer,
    onChange: () => undefined,
    logger,
  });
  workerMetrics.measure(worker);
  const access = new Access({ isPublic, secret });
  const provider = config.rendering.provider === "cuda" ? "cuda" : "cpu";
  const readCard = () => card.readCard();
  const probes = new FaceProbes({ workshop, bundles, service, secret, defaultFace, provider, readCard });
  const routes = new LaunchRoutes({
    access,
    jobs,
    tasks,
    probes,
    secret,
    logger,
    form: {
      guard: livekitGuard,
      nowMs: () => service.nowMs(),
      minFreeBytes: config.disk.minFreeBytes,
    },
  });
  const health = new HealthServer({
    host,
    port: config.selfHosted.port,
    routes,
    status: () => ({
      isReady: worker.isReady && isWarm(),
      problem: contact.problem ?? (isWarm() ? undefined : "the first process is loading"),
      activeSessions: worker.admission.sessionCount,
      maxSessions,
      availableSessions: freeSlots(),
    }),
    metrics,
    logger,
  });
  const port = await health.start();
  const metricsServer = await startMetricsServer(config.metrics, metrics, logger);
  // The command that started this worker has ended.
  process.on("disconnect", () => end("disconnect"));
  logger.info({ port, host, isPublic }, "worker listening");
  process.send?.({ type: "listening", port });
  worker.start();
  contact.start();
  // The first launch without an image should not wait for it.
  defaultFace().catch((error: unknown) => logger.error({ err: error }, "default face not baked"));
  return {
    drainMs: config.selfHosted.drainMs,
    async drain(limitMs) {
      await contact.close();
      await worker.drain(limitMs);
    },
    async close() {
      await worker.close();
      await health.close();
      await Promise.all([runtime.close(), workshop.close(), outgoing.close(), metricsServer?.close(), tracer.close()]);
    },
    load: () => ({ activeSessions: worker.admission.sessionCount }),
  };
}

/** Says why this worker cannot work: to the command that has started it, else on standard error. */
function report(reason: string): void {
  if (process.send) process.send({ type: "refused", reason });
  else console.error(reason);
}

await runProgram({ name: "self-hosted-worker", parts: SELF_HOSTED_PARTS, start, report });
