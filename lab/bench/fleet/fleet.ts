// A fleet on this machine, as plain processes: PostgreSQL, Redis, several LiveKit nodes, api processes and workers, and
// an S3 bucket if there is a program for one. LiveKit nodes and api processes have a load balancer in front, as they
// would in production.
import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServiceClient } from "../../../cli/service/service-client.ts";
import { buildPrograms, type Program, type Programs } from "../../../cli/start/build/build-programs.ts";
import { startEmbeddedPostgres } from "../../../cli/start/postgres/embedded-postgres.ts";
import { findFreePort } from "../../../cli/start/processes/free-port.ts";
import { ensureDemoAgent } from "../../../cli/start/service/demo-agent.ts";
import type { LiveKitAddress } from "../../../cli/start/service/given-servers.ts";
import { FleetProcess } from "./fleet-process.ts";
import { LiveKitNode } from "./livekit-node.ts";
import { RedisServer } from "./redis-server.ts";
import { s3Settings, startS3Server } from "./s3-server.ts";
import { TcpBalancer } from "./tcp-balancer.ts";

export interface FleetOptions {
  /** Like `process.env`: PATH and HOME are used. */
  environment: Readonly<Record<string, string | undefined>>;
  nodes: number;
  workers: number;
  apis: number;
  /** Settings of api processes and workers. */
  settings?: Readonly<Record<string, string>>;
  /** Further settings of single workers, by index. */
  workerSettings?: readonly Readonly<Record<string, string>>[];
  /** Of an empty database. Default: a server is started. */
  databaseUrl?: string;
  /** Program of the S3 server. Null: the api processes share a folder. */
  s3Program: string | null;
  /** Receives what must be undone if the start is interrupted. */
  onClose?(undo: () => Promise<void>): void;
}

export interface FleetApi {
  process: FleetProcess;
  /** `http://127.0.0.1:…` of this process alone. */
  baseUrl: string;
}

export interface FleetWorker {
  process: FleetProcess;
  /** `http://127.0.0.1:…` of its health server. */
  baseUrl: string;
}

/** What a worker says of itself. */
export interface WorkerState {
  activeSessions: number;
  maxSessions: number;
}

const API_READY_MS = 120_000;
const WORKER_READY_MS = 60_000;
const STOP_MS = 5_000;

/** Runs from `start()` to `close()`. */
export class Fleet {
  /** Of all api processes: the client speaks to their balancer. */
  readonly client: ServiceClient;
  /** API secret of the operator account. */
  readonly apiSecret: string;
  /** The balancer in front of the nodes. */
  readonly livekit: LiveKitAddress;
  readonly databaseUrl: string;
  /** Code of a ready agent; empty before `addAgent`. */
  agentCode = "";
  readonly nodes: readonly LiveKitNode[];
  readonly redis: RedisServer;
  readonly apis: FleetApi[] = [];
  readonly workers: FleetWorker[] = [];
  readonly folder: string;
  readonly #options: FleetOptions;
  readonly #parts: Parts;
  #closing: Promise<void> | null = null;

  private constructor(options: FleetOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
    this.nodes = parts.nodes;
    this.redis = parts.redis;
    this.folder = parts.folder;
    this.apiSecret = parts.apiSecret;
    this.databaseUrl = parts.databaseUrl;
    this.livekit = { url: `ws://127.0.0.1:${parts.livekitPort}`, ...parts.keys };
    this.client = new ServiceClient({ baseUrl: `http://127.0.0.1:${parts.apiPort}`, apiSecret: parts.apiSecret });
  }

  /** Starts all processes. Worker n registers at node n, or in turn if there are more workers than nodes. Throws Error
   *  with the output of a program that does not start; nothing is left running then. */
  static async start(options: FleetOptions): Promise<Fleet> {
    const closers: (() => Promise<void>)[] = [];
    let fleet: Fleet | null = null;
    const undo = async () => {
      await Promise.allSettled((fleet ? [...fleet.workers, ...fleet.apis] : []).map(({ process }) => process.kill()));
      for (const close of closers.splice(0).reverse()) await close().catch(() => {}); // The others must be closed, too.
    };
    options.onClose?.(undo);
    try {
      fleet = new Fleet(options, await startParts(options, closers, undo));
      await Promise.all(fleet.#parts.apiPorts.map((_, index) => fleet?.startApi(index)));
      for (let index = 0; index < options.workers; index++) await fleet.startWorker(index);
      return fleet;
    } catch (error) {
      await undo();
      throw error;
    }
  }

  /** Makes the demo agent and waits until it is ready. */
  async addAgent(): Promise<void> {
    this.agentCode = await ensureDemoAgent(this.client);
  }

  /** Starts an api process, or starts it again at the same port. */
  async startApi(index: number): Promise<void> {
    const { programs, apiPorts, databaseUrl, folder, hasBucket, storage } = this.#parts;
    const port = apiPorts[index];
    const dataDir = join(folder, hasBucket ? `api-${index}` : "api");
    await mkdir(dataDir, { recursive: true });
    const baseUrl = `http://127.0.0.1:${port}`;
    const process = await FleetProcess.start(
      {
        name: `api ${index + 1}`,
        ...commandOf(programs.api),
        environment: {
          ...this.#common(),
          ...storage,
          DATABASE_URL: databaseUrl,
          AVATAR_OPERATOR_SECRET: this.apiSecret,
          AVATAR_DATA_DIR: dataDir,
          PORT: String(port),
          PUBLIC_URL: this.client.baseUrl,
        },
        logFile: join(folder, `api-${index}.log`),
      },
      async () => (await fetch(`${baseUrl}/healthz`)).ok,
      API_READY_MS,
    );
    this.apis[index] = { process, baseUrl };
  }

  /** Starts a worker, or starts it again. */
  async startWorker(index: number): Promise<void> {
    const { programs, folder, livekitBalancer } = this.#parts;
    const port = await findFreePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    const node = index % this.nodes.length;
    if (this.nodes[node].isRunning) livekitBalancer.pin(node);
    try {
      const process = await FleetProcess.start(
        {
          name: `worker ${index + 1}`,
          ...commandOf(programs.worker),
          environment: {
            ...this.#common(),
            AVATAR_API_URL: this.client.baseUrl,
            AVATAR_WORKER_PORT: String(port),
            AVATAR_DATA_DIR: join(folder, `worker-${index}`),
            ...this.#options.workerSettings?.[index],
          },
          logFile: join(folder, `worker-${index}.log`),
        },
        async () => (await fetch(`${baseUrl}/ready`)).ok,
        WORKER_READY_MS,
      );
      this.workers[index] = { process, baseUrl };
    } finally {
      livekitBalancer.pin(undefined);
    }
  }

  /** Ends everything that was started. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      await Promise.all(this.workers.map(({ process }) => process.stop("SIGINT", STOP_MS)));
      await Promise.all(this.apis.map(({ process }) => process.stop("SIGTERM", STOP_MS)));
      await this.#parts.undo();
    })();
    return this.#closing;
  }

  #common(): NodeJS.ProcessEnv {
    const { PATH, HOME, XDG_CACHE_HOME } = this.#options.environment;
    return {
      PATH,
      HOME,
      XDG_CACHE_HOME,
      LIVEKIT_URL: this.livekit.url,
      LIVEKIT_API_KEY: this.livekit.apiKey,
      LIVEKIT_API_SECRET: this.livekit.apiSecret,
      AVATAR_IDENTITY_CLIPS: "0",
      AVATAR_REALTIME_SESSIONS: "0",

      ...this.#options.settings,
    };
  }
}

/** What a worker reports on its health server. Throws if it does not answer. */
export async function readWorker({ baseUrl }: FleetWorker): Promise<WorkerState> {
  const answer = await fetch(`${baseUrl}/health`);
  const state = (await answer.json()) as { active_sessions: number; max_sessions: number };
  return { activeSessions: state.active_sessions, maxSessions: state.max_sessions };
}

interface Parts {
  folder: string;
  keys: { apiKey: string; apiSecret: string };
  apiSecret: string;
  programs: Programs;
  databaseUrl: string;
  redis: RedisServer;
  nodes: LiveKitNode[];
  livekitBalancer: TcpBalancer;
  livekitPort: number;
  apiPorts: number[];
  apiPort: number;
  hasBucket: boolean;
  /** Settings of the storage. */
  storage: Record<string, string>;
  undo(): Promise<void>;
}

/** Starts what api processes and workers need. `closers` receives how to close it. */
async function startParts(
  options: FleetOptions,
  closers: (() => Promise<void>)[],
  undo: () => Promise<void>,
): Promise<Parts> {
  const { s3Program } = options;
  const environment = { PATH: options.environment.PATH };
  const folder = await mkdtemp(join(tmpdir(), "open-avatar-service-fleet-"));
  // PostgreSQL may have to run as another user, who must get in.
  await chmod(folder, 0o711);
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const programs = await buildPrograms();
  const databaseUrl = options.databaseUrl ?? (await startDatabase(folder, closers));
  const bucket = s3Program && (await startS3Server({ program: s3Program, folder, environment }));
  if (bucket) closers.push(bucket.close);
  const redis = await RedisServer.start({ folder, environment });
  closers.push(() => redis.close());
  const keys = { apiKey: "fleet", apiSecret: randomBytes(32).toString("base64url") };
  const nodes: LiveKitNode[] = [];
  for (let index = 0; index < options.nodes; index++) {
    const node = await LiveKitNode.start({ index, folder, redisPort: redis.port, environment, ...keys });
    nodes.push(node);
    closers.push(() => node.kill());
  }
  const balance = async (ports: readonly number[], probePath: string) => {
    const balancer = new TcpBalancer({ ports, probePath });
    closers.push(() => balancer.close());
    return { balancer, port: await balancer.start() };
  };
  const apiPorts: number[] = [];
  for (let index = 0; index < options.apis; index++) apiPorts.push(await findFreePort());
  const livekit = await balance(
    nodes.map(({ port }) => port),
    "/",
  );
  const api = await balance(apiPorts, "/healthz");
  return {
    folder,
    keys,
    programs,
    databaseUrl,
    redis,
    nodes,
    apiPorts,
    undo,
    apiSecret: randomBytes(48).toString("base64url"),
    livekitBalancer: livekit.balancer,
    livekitPort: livekit.port,
    apiPort: api.port,
    hasBucket: bucket !== null,
    storage: bucket ? s3Settings(bucket) : {},
  };
}

async function startDatabase(folder: string, closers: (() => Promise<void>)[]): Promise<string> {
  const server = await startEmbeddedPostgres({ dataDir: folder, settings: { fsync: "off" } });
  closers.push(() => server.stop());
  return server.url;
}

function commandOf({ script, nodeFlags }: Program): { file: string; args: string[] } {
  return { file: process.execPath, args: [...nodeFlags, script] };
}
