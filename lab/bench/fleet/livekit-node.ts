// One of several LiveKit servers that share their rooms through Redis.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findLiveKitProgram } from "../../../cli/start/livekit/livekit-program.ts";
import { findFreePort, findFreeUdpPort } from "../../../cli/start/processes/free-port.ts";
import { FleetProcess } from "./fleet-process.ts";

export interface LiveKitNodeOptions {
  /** Number in names of files. */
  index: number;
  /** Configuration and log go here. */
  folder: string;
  redisPort: number;
  apiKey: string;
  apiSecret: string;
  /** Its environment, with the PATH on which it is found. */
  environment: NodeJS.ProcessEnv;
}

const READY_TIMEOUT_MS = 30_000;

export class LiveKitNode {
  readonly port: number;
  readonly #options: LiveKitNodeOptions;
  readonly #udpPort: number;
  readonly #program: string;
  #process: FleetProcess | null = null;

  private constructor(options: LiveKitNodeOptions, program: string, port: number, udpPort: number) {
    this.#options = options;
    this.#program = program;
    this.port = port;
    this.#udpPort = udpPort;
  }

  /** Starts a node on free ports of loopback. */
  static async start(options: LiveKitNodeOptions): Promise<LiveKitNode> {
    const program = await findLiveKitProgram({ dataDir: options.folder });
    const node = new LiveKitNode(options, program, await findFreePort(), await findFreeUdpPort());
    await node.start();
    return node;
  }

  /** `ws://…` of this node alone. */
  get url(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  get isRunning(): boolean {
    return this.#process?.isRunning === true;
  }

  /** Its process id; 0 while it does not run. */
  get pid(): number {
    return this.isRunning ? (this.#process?.pid ?? 0) : 0;
  }

  /** The id under which other nodes know it, new after each start. Throws Error if it is not in the log. */
  async readId(): Promise<string> {
    const log = (await this.#process?.readLog()) ?? "";
    const id = [...log.matchAll(/"starting LiveKit server".*?"nodeID":"(\w+)"/g)].at(-1)?.[1];
    if (id === undefined) throw new Error("the LiveKit node has not written its id");
    return id;
  }

  /** Starts it again at the same ports. */
  async start(): Promise<void> {
    const { folder, index, environment } = this.#options;
    const configFile = join(folder, `livekit-${index}.yaml`);
    await writeFile(configFile, this.#config(), { mode: 0o600 });
    this.#process = await FleetProcess.start(
      {
        name: `LiveKit node ${index + 1}`,
        file: this.#program,
        args: ["--config", configFile],
        environment,
        logFile: join(folder, `livekit-${index}.log`),
      },
      async () => (await fetch(`http://127.0.0.1:${this.port}/`)).ok,
      READY_TIMEOUT_MS,
    );
  }

  /** Kills it (SIGKILL). Idempotent. */
  async kill(): Promise<void> {
    await this.#process?.kill();
  }

  #config(): string {
    const { redisPort, apiKey, apiSecret } = this.#options;
    return `port: ${this.port}
bind_addresses: ["127.0.0.1"]
keys:
  ${apiKey}: ${apiSecret}
redis:
  address: 127.0.0.1:${redisPort}
rtc:
  node_ip: 127.0.0.1
  use_external_ip: false
  tcp_port: 0
  udp_port: ${this.#udpPort}
  enable_loopback_candidate: true
  ips:
    includes: [127.0.0.0/8]
  stun_servers: ["[::1]:3478"]
room:
  auto_create: true
  empty_timeout: 300
  departure_timeout: 20
logging:
  level: info
  json: true
`;
  }
}
