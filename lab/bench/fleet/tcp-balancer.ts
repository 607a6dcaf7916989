// A load balancer for TCP on loopback, in front of LiveKit nodes or api processes: connections go to the servers that
// answer its probe, in turn. A fleet in production has one of its own.
import { createServer, createConnection as open, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export interface TcpBalancerOptions {
  /** Ports on loopback. */
  ports: readonly number[];
  /** Path that a server answers with a 2xx status while it is well. */
  probePath: string;
  /** Pause between two probes of a server, ms. Default 500. */
  probeMs?: number;
}

interface Target {
  port: number;
  isWell: boolean;
  sockets: Set<Socket>;
}

const PROBE_MS = 500;
const PROBE_TIMEOUT_MS = 1_000;

/** Listens from `start()` to `close()`. */
export class TcpBalancer {
  readonly #options: TcpBalancerOptions;
  readonly #targets: Target[];
  readonly #server: Server;
  readonly #closing = new AbortController();
  #next = 0;
  #only: Target | null = null;
  #probing: Promise<unknown> = Promise.resolve();

  constructor(options: TcpBalancerOptions) {
    this.#options = options;
    this.#targets = options.ports.map((port) => ({ port, isWell: true, sockets: new Set() }));
    this.#server = createServer({ noDelay: true }, (client) => this.#accept(client));
  }

  /** Resolves with its port. */
  async start(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.#probing = Promise.all(this.#targets.map((target) => this.#probe(target)));
    const address = this.#server.address();
    return typeof address === "object" && address ? address.port : 0;
  }

  /** Sends new connections to the server with this index alone; undefined: to all in turn again. */
  pin(index: number | undefined): void {
    this.#only = index === undefined ? null : this.#targets[index];
  }

  /** Idempotent. Connections are cut. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const target of this.#targets) cut(target);
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await this.#probing;
  }

  #accept(client: Socket): void {
    client.on("error", () => client.destroy());
    this.#connect(client, this.#order());
  }

  /** Servers to try: well ones in turn, then the others. */
  #order(): Target[] {
    if (this.#only) return [this.#only];
    const start = this.#next++ % this.#targets.length;
    const turned = [...this.#targets.slice(start), ...this.#targets.slice(0, start)];
    return [...turned.filter(({ isWell }) => isWell), ...turned.filter(({ isWell }) => !isWell)];
  }

  /** Connects the client with the first server that accepts, or closes it. */
  #connect(client: Socket, [target, ...others]: readonly Target[]): void {
    if (target === undefined || client.destroyed) {
      client.destroy();
      return;
    }
    const server = open({ port: target.port, host: "127.0.0.1", noDelay: true });
    const retry = () => this.#connect(client, others);
    server.once("error", retry);
    server.once("connect", () => {
      server.off("error", retry);
      for (const socket of [client, server]) target.sockets.add(socket);
      const end = () => {
        for (const socket of [client, server]) {
          socket.destroy();
          target.sockets.delete(socket);
        }
      };
      for (const socket of [client, server]) socket.on("error", end).on("close", end);
      client.pipe(server).pipe(client);
    });
  }

  async #probe(target: Target): Promise<void> {
    const { probePath, probeMs = PROBE_MS } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const wasWell = target.isWell;
      target.isWell = await isWell(`http://127.0.0.1:${target.port}${probePath}`);
      // A server that hangs keeps its connections open: clients must go elsewhere.
      if (wasWell && !target.isWell) cut(target);
      await delay(probeMs, undefined, { signal }).catch(() => {});
    }
  }
}

async function isWell(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

function cut(target: Target): void {
  for (const socket of target.sockets) socket.destroy();
  target.sockets.clear();
}
