// Stands between an agent and the service, to see how long launch requests take: what a plugin adds is on top of them.
import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** The service has two routes for a launch. */
const LAUNCHES = ["/launch", "/v1/runtime-tokens/request"];

export class LaunchClock {
  readonly #server: Server;
  #lastMs: number | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(serviceUrl: string): Promise<LaunchClock> {
    const clock: LaunchClock = new LaunchClock(
      createServer((asked, answer) => {
        const beganMs = performance.now();
        const { method, headers, url = "/" } = asked;
        const passed = request(new URL(url, serviceUrl), { method, headers }, (answered) => {
          answer.writeHead(answered.statusCode ?? 502, answered.headers);
          answered.pipe(answer);
          answered.once("end", () => {
            if (LAUNCHES.includes(url)) clock.#lastMs = performance.now() - beganMs;
          });
        });
        passed.once("error", () => answer.destroy());
        asked.pipe(passed);
      }),
    );
    clock.#server.listen(0, "127.0.0.1");
    await once(clock.#server, "listening");
    return clock;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What the last launch took. Throws Error if there was none since it was asked last. */
  takeLaunchMs(): number {
    const ms = this.#lastMs;
    this.#lastMs = undefined;
    if (ms === undefined) throw new Error("the agent launched nothing");
    return ms;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
