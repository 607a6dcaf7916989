// Starts the whole service on this machine and stops it in reverse order: PostgreSQL, LiveKit server, pages, front,
// api, realtime relay, avatar worker, demo agent.
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { LlmSource } from "../../../agent-worker/tasks/llm-source.ts";
import { ServiceClient } from "../../service/service-client.ts";
import type { Programs } from "../build/build-programs.ts";
import { buildService } from "../build/build-service.ts";
import { makeDataFolder } from "../data-folder.ts";
import { startLiveKitServer } from "../livekit/livekit-server.ts";
import { startEmbeddedPostgres } from "../postgres/embedded-postgres.ts";
import { findFreePort } from "../processes/free-port.ts";
import { Front, type FrontPart } from "../processes/front.ts";
import { watchLogs } from "../processes/log-rotation.ts";
import { ServiceProcess, type ServiceProcessOptions } from "../processes/service-process.ts";
import { ServiceRecord } from "../processes/service-record.ts";
import type { Progress } from "../progress.ts";
import { StartError, toFolderError } from "../start-error.ts";
import { ensureDemoAgent } from "./demo-agent.ts";
import type { FoundLlm } from "./describe-llm.ts";
import { checkDatabase, checkLiveKit, type LiveKitAddress } from "./given-servers.ts";
import { ensureOperatorSecret, type OperatorSecret } from "./operator-secret.ts";
import { allOrFirstError, requirePort, waitForAnswer } from "./readiness.ts";
import { relayEnvironment } from "./relay-environment.ts";
import { readStartConfig, type StartConfig } from "./start-config.ts";

/** Preferred port of the worker's health endpoint, unless AVATAR_WORKER_PORT names one. The contract gives 8089 to
 *  `avatar worker`, which may run beside it. */
const WORKER_PORT = 8087;

export interface ServiceOptions {
  /** Like `process.env`. Missing settings get defaults. */
  environment: Record<string, string | undefined>;
  progress: Progress;
  /** Programs and pages that are built already. Default: builds what is not up to date. */
  programs?: Programs;
}

/** Result of a start. */
export interface ServiceDetails {
  readonly config: StartConfig;
  readonly operator: OperatorSecret;
  readonly livekit: LiveKitAddress;
  readonly databaseUrl: string;
  readonly client: ServiceClient;
  /** Code of the demo agent. */
  readonly demoAgentCode: string;
  /** Process id of the avatar worker's parent process. */
  readonly workerPid: number | null;
  /** The language model that conversations begin with now; null if there is none. */
  readonly llm: FoundLlm | null;
}

/** The sockets of a killed process may outlive it for a moment. */
const PORT_RELEASE_MS = 5000;
const API_DEATHS = 3;
const WORKER_DEATHS = 10;
const RELAY_DEATHS = 10;
const LIVEKIT_CHECK_MS = 2000;
/** Time for the worker to close its avatar sessions, and for the api to finish its requests. */
const WORKER_STOP_TIMEOUT_MS = 8000;
const API_STOP_TIMEOUT_MS = 5000;
const RELAY_STOP_TIMEOUT_MS = 5000;

/** The whole service on this machine, from `start()` to `close()`. It may be closed at any time: a pending start then
 *  throws. */
export class Service {
  /** Rejects with a StartError if a part exceeded its restart limit. Never resolves. */
  readonly failed: Promise<never>;
  readonly #progress: Progress;
  readonly #config: StartConfig;
  readonly #environment: Record<string, string | undefined>;
  readonly #dataDir: string;
  readonly #programs: Programs | undefined;
  /** Cleanup functions, in the order of the starts. */
  readonly #closers: (() => Promise<void>)[] = [];
  readonly #children: ServiceProcess[] = [];
  readonly #closingSignal = new AbortController();
  #fail: (error: StartError) => void = () => {};
  #record: ServiceRecord | null = null;
  #closing: Promise<void> | null = null;

  /** Throws StartError when the environment is unusable. */
  constructor(options: ServiceOptions) {
    this.#progress = options.progress;
    this.#environment = options.environment;
    this.#programs = options.programs;
    this.#config = readStartConfig(options.environment);
    this.#dataDir = resolve(this.#config.disk.dataDir);
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    // Callers may await it later; until then a failure must not count as unhandled.
    this.failed.catch(() => {});
  }

  /** Starts everything. On failure stops what was started, and throws StartError with a remedy. */
  async start(): Promise<ServiceDetails> {
    try {
      return await this.#startParts();
    } catch (error) {
      await this.close();
      throw toFolderError(error, this.#dataDir) ?? error;
    }
  }

  async #startParts(): Promise<ServiceDetails> {
    const { host, port } = this.#config.http;
    await makeDataFolder(this.#dataDir);
    this.#record = await ServiceRecord.open(this.#dataDir, this.#localUrl());
    const record = this.#record;
    await this.#onClose(() => record.close());
    const logFiles = ["api", "relay", "worker", "livekit"].map((name) => join(this.#dataDir, "logs", `${name}.log`));
    const stopWatching = watchLogs(logFiles, (line) => this.#progress.note(line));
    await this.#onClose(async () => stopWatching());
    await requirePort(port, host, record.hasClearedUp ? PORT_RELEASE_MS : 0);
    const givenLiveKit = this.#givenLiveKit();
    if (givenLiveKit) await checkLiveKit(givenLiveKit);
    if (this.#config.database.url) await checkDatabase(this.#config.database.url);
    const [databaseUrl, livekit, { programs }] = await allOrFirstError([
      this.#config.database.url ?? this.#startDatabase(),
      givenLiveKit ?? this.#startLiveKit(),
      this.#programs ? { programs: this.#programs } : this.#build(),
    ]);
    const operator = await ensureOperatorSecret(this.#dataDir, this.#config.operator.secret);
    const wantedPort = this.#environment.AVATAR_WORKER_PORT ? this.#config.worker.port : WORKER_PORT;
    const workerPort = await findFreePort([wantedPort].filter((port) => port > 0));
    const workerEnvironment: NodeJS.ProcessEnv = {
      ...withoutCredentials(this.#environment),
      LIVEKIT_URL: livekit.url,
      LIVEKIT_API_KEY: livekit.apiKey,
      LIVEKIT_API_SECRET: livekit.apiSecret,
      AVATAR_DATA_DIR: this.#dataDir,
      AVATAR_WORKER_PORT: String(workerPort),
    };
    const apiEnvironment: NodeJS.ProcessEnv = {
      ...workerEnvironment,
      DATABASE_URL: databaseUrl,
      AVATAR_OPERATOR_SECRET: operator.secret,
      AVATAR_OIDC_CLIENT_SECRET: this.#environment.AVATAR_OIDC_CLIENT_SECRET,
    };
    const front = await this.#startFront();
    const apiPort = await findFreePort();
    const relayPort = await findFreePort([this.#config.relay.port].filter((port) => port > 0));
    const ports = { AVATAR_RELAY_PORT: String(relayPort) };
    /** The port for metrics of the api, the relay (1) and the worker (2). */
    const metricsPort = (number: number): NodeJS.ProcessEnv => {
      const { port: first } = this.#config.metrics;
      return first === undefined ? {} : { AVATAR_METRICS_PORT: String(first + number) };
    };
    const api = await this.#spawn({
      name: "api",
      program: programs.api,
      args: [`--behind-front=${apiPort}`],
      front,
      environment: { ...apiEnvironment, ...ports },
      restartLimit: API_DEATHS,
      stopTimeoutMs: API_STOP_TIMEOUT_MS,
    });
    const relay = await this.#spawn({
      name: "relay",
      program: programs.relay,
      args: ["--behind-front"],
      front,
      // Its calls must not depend on this process, which the front is part of.
      environment: {
        ...relayEnvironment(workerEnvironment),
        ...ports,
        ...metricsPort(1),
        AVATAR_API_URL: `http://127.0.0.1:${apiPort}`,
      },
      restartLimit: RELAY_DEATHS,
      stopTimeoutMs: RELAY_STOP_TIMEOUT_MS,
    });
    const worker = await this.#spawn({
      name: "worker",
      program: programs.worker,
      environment: { ...workerEnvironment, ...metricsPort(2) },
      restartLimit: WORKER_DEATHS,
      stopTimeoutMs: WORKER_STOP_TIMEOUT_MS,
      // For the worker SIGTERM means "drain", SIGINT means "close sessions now".
      stopSignal: "SIGINT",
    });
    await allOrFirstError([
      this.#waitUntilReady(api, `${this.#localUrl()}/readyz`),
      this.#waitUntilReady(relay, `http://127.0.0.1:${relayPort}/ready`),
      this.#waitUntilReady(worker, `http://127.0.0.1:${workerPort}/ready`),
    ]);
    const client = new ServiceClient({ baseUrl: this.#localUrl(), apiSecret: operator.secret });
    const demoAgentCode = await this.#progress.step(
      "demo agent",
      () => ensureDemoAgent(client),
      (code) => `${code} is ready`,
    );
    const { languageModel, http } = this.#config;
    return {
      config: this.#config,
      operator,
      livekit,
      databaseUrl,
      client,
      demoAgentCode,
      workerPid: worker.pid,
      // The worker looks for itself, in the same way.
      llm: await new LlmSource({
        settings: languageModel,
        host: http.host,
        ownPorts: [http.port, workerPort],
      }).find(),
    };
  }

  /** Stops everything that this start began, in reverse order. Idempotent; resolves when nothing is left running. */
  close(): Promise<void> {
    this.#closingSignal.abort();
    this.#closing ??= this.#closeInOrder();
    return this.#closing;
  }

  /** Ends the children at once; the embedded servers are left to the next start, which adopts them. */
  kill(): void {
    for (const child of this.#children) child.kill();
  }

  /** Registers a cleanup function. If the service was closed meanwhile, calls it at once and throws StartError. */
  async #onClose(close: () => Promise<void>): Promise<void> {
    if (!this.#closingSignal.signal.aborted) {
      this.#closers.push(close);
      return;
    }
    await close();
    throw new StartError("The start was interrupted.", "Nothing is left running.");
  }

  async #closeInOrder(): Promise<void> {
    for (const close of this.#closers.reverse()) {
      try {
        await close();
      } catch (error) {
        // One part that does not stop must not keep the others running.
        this.#progress.note(`while stopping: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  /** Base URL on this machine: PUBLIC_URL may name a proxy that is not up yet. */
  #localUrl(): string {
    const { host: given, port } = this.#config.http;
    const host = given === "0.0.0.0" || given === "::" ? "127.0.0.1" : given;
    return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  }

  async #startDatabase(): Promise<string> {
    const report = (line: string) => this.#progress.note(line);
    const server = await this.#progress.step(
      "postgres",
      () => startEmbeddedPostgres({ dataDir: this.#dataDir, report }),
      ({ port, isAdopted }) => `${isAdopted ? "adopted" : "started"} on 127.0.0.1:${port}`,
    );
    await this.#onClose(() => server.stop());
    return server.url;
  }

  /** The operator's own LiveKit server, or null. Throws StartError if its settings are incomplete. */
  #givenLiveKit(): LiveKitAddress | null {
    const { url, apiKey, apiSecret } = this.#config.livekit;
    if (!url) return null;
    if (apiKey && apiSecret) return { url, apiKey, apiSecret };
    throw new StartError(
      "LIVEKIT_URL is set, but LIVEKIT_API_KEY or LIVEKIT_API_SECRET is not.",
      "Set all three, or none to use the embedded server.",
    );
  }

  async #startLiveKit(): Promise<LiveKitAddress> {
    const report = (line: string) => this.#progress.note(line);
    const { signal } = this.#closingSignal;
    const { XDG_CACHE_HOME: cacheDir } = this.#environment;
    const { host } = this.#config.http;
    const { hasOwnAddress } = this.#config.embeddedLiveKit;
    const options = { dataDir: this.#dataDir, host, hasOwnAddress, cacheDir, report, signal };
    const startServer = () => startLiveKitServer(options);
    let server = await this.#progress.step(
      "livekit",
      startServer,
      (started) => `${started.isAdopted ? "adopted" : "started"} on ${started.url}`,
    );
    const watched = (async () => {
      while (!signal.aborted) {
        await delay(LIVEKIT_CHECK_MS, undefined, { signal }).catch(() => {});
        if (signal.aborted || (await server.isRunning())) continue;
        report("the LiveKit server ended: starting it again");
        try {
          server = await startServer();
        } catch (error) {
          this.#fail(new StartError(`The LiveKit server ended and cannot be started again: ${error}`, "Start again."));
          return;
        }
      }
    })();
    await this.#onClose(async () => {
      await watched;
      await server.stop();
    });
    const { apiKey: key, apiSecret: secret } = server;
    return { url: server.url, apiKey: key, apiSecret: secret };
  }

  #build(): Promise<{ programs: Programs }> {
    return this.#progress.step(
      "pages",
      () => buildService(this.#closingSignal.signal),
      ({ hasBuiltPages }) => (hasBuiltPages ? "built" : "up to date"),
    );
  }

  /** Listens where clients connect, for the api and the relay. */
  async #startFront(): Promise<Front> {
    const front = new Front();
    await front.start(this.#config.http.port, this.#config.http.host);
    await this.#onClose(() => front.close());
    return front;
  }

  async #spawn(options: SpawnOptions): Promise<ServiceProcess> {
    const { name, front, ...others } = options;
    const child: ServiceProcess = new ServiceProcess({
      name,
      ...others,
      logFile: join(this.#dataDir, "logs", `${name}.log`),
      report: (line) => this.#progress.note(line),
      onGivenUp: (reason) => this.#fail(new StartError(reason, "Fix the problem in the log, then start again.")),
      onStarted: (pid) => void this.#record?.addChild(name, pid),
      ...(front && {
        onMessage: (message, handle) => front.noteMessage(name, child, message, handle),
        onExit: () => front.noteExit(name),
      }),
    });
    await child.start();
    this.#children.push(child);
    await this.#onClose(() => child.stop());
    return child;
  }

  /** Throws StartError if the child failed or did not become ready in time. */
  #waitUntilReady(child: ServiceProcess, url: string): Promise<void> {
    const { signal } = this.#closingSignal;
    const wait = async () => {
      await Promise.race([this.failed, waitForAnswer(url, child.name, signal)]);
      child.markReady();
    };
    return this.#progress.step(child.name, wait, () => "ready");
  }
}

type Common = Pick<
  ServiceProcessOptions,
  "program" | "args" | "environment" | "restartLimit" | "stopTimeoutMs" | "stopSignal"
>;
type SpawnOptions = Common & ({ name: "worker"; front?: undefined } | { name: FrontPart; front: Front });

/** The environment without what only this process, or a client of the service, uses. */
function withoutCredentials(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { AVATAR_OPERATOR_SECRET, DATABASE_URL, AVATAR_API_SECRET, AVATAR_API_KEY, ...rest } = environment;
  const { AVATAR_OIDC_CLIENT_SECRET, ...shared } = rest;
  return shared;
}
