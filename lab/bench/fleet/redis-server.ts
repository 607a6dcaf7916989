// A Redis server on loopback, through which LiveKit nodes share their rooms. It writes what changes to disk: LiveKit
// must not forget at a restart which node has which room.
import { createConnection } from "node:net";
import { join } from "node:path";
import { findFreePort } from "../../../cli/start/processes/free-port.ts";
import { runCommand } from "../../../cli/start/processes/run-command.ts";
import { FleetProcess } from "./fleet-process.ts";

/** Why a fleet cannot be started, and what to do. */
export const REDIS_MISSING = "no redis-server on the PATH: install Redis (Debian: apt-get install redis-server)";

export interface RedisServerOptions {
  /** Its log and what it keeps go here. */
  folder: string;
  /** Its environment, with the PATH on which it is found. */
  environment: NodeJS.ProcessEnv;
}

const READY_TIMEOUT_MS = 15_000;

/** Whether the program is there. */
export async function hasRedis(): Promise<boolean> {
  return (await runCommand("redis-server", ["--version"])).status === 0;
}

export class RedisServer {
  readonly port: number;
  readonly #options: RedisServerOptions;
  #process: FleetProcess | null = null;

  private constructor(port: number, options: RedisServerOptions) {
    this.port = port;
    this.#options = options;
  }

  /** Starts it on a free port. */
  static async start(options: RedisServerOptions): Promise<RedisServer> {
    const server = new RedisServer(await findFreePort(), options);
    await server.#start();
    return server;
  }

  /** Kills it and starts it again at the same port. */
  async restart(): Promise<void> {
    await this.close();
    await this.#start();
  }

  /** Kills it. Idempotent. */
  async close(): Promise<void> {
    await this.#process?.kill();
  }

  async #start(): Promise<void> {
    const { port } = this;
    const { folder, environment } = this.#options;
    this.#process = await FleetProcess.start(
      {
        name: "Redis",
        file: "redis-server",
        args: ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "yes"],
        environment,
        logFile: join(folder, "redis.log"),
      },
      () => listens(port),
      READY_TIMEOUT_MS,
    );
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: "127.0.0.1" });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.end());
  });
}
