// A few api processes on one database, of which any may be killed at any moment; a killed one comes back on its port.
import { type ApiProcess, type ApiProcessOptions, startApiProcess } from "../../../test/helpers/service/api-process.ts";

export interface ApiClients {
  /** Base URLs of those that run; waits while none does. */
  running(): Promise<string[]>;
  /** Kills a process with signal 9 and starts it again. A process that is starting is killed as soon as it serves.
   *  Resolves when it has ended. */
  kill(index: number): Promise<void>;
  /** Waits until all run. Throws what kept one from starting. */
  whole(): Promise<void>;
  close(): Promise<void>;
  readonly kills: number;
}

const POLL_MS = 20;

export async function startApiClients(size: number, options: ApiProcessOptions): Promise<ApiClients> {
  const places: (ApiProcess | null)[] = await Promise.all(Array.from({ length: size }, () => startApiProcess(options)));
  const returning = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let kills = 0;

  function assertNoFailure(): void {
    if (failures.length > 0) throw failures[0];
  }

  async function bringBack(index: number, baseUrl: string): Promise<void> {
    try {
      places[index] = await startApiProcess({ ...options, port: Number(new URL(baseUrl).port) });
    } catch (error) {
      failures.push(error);
    }
  }

  const clients: ApiClients = {
    get kills() {
      return kills;
    },
    async running() {
      for (;;) {
        assertNoFailure();
        const urls = places.filter((place) => place !== null).map(({ baseUrl }) => baseUrl);
        if (urls.length > 0) return urls;
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    },
    async kill(index) {
      let victim = places[index];
      for (; victim === null; victim = places[index]) {
        assertNoFailure();
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
      places[index] = null;
      kills += 1;
      await victim.kill();
      const back: Promise<void> = bringBack(index, victim.baseUrl).finally(() => returning.delete(back));
      returning.add(back);
    },
    async whole() {
      await Promise.all(returning);
      assertNoFailure();
    },
    async close() {
      await Promise.all(returning);
      await Promise.all(places.map((place) => place?.close()));
    },
  };
  return clients;
}
