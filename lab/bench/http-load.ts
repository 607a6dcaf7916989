// Sends requests to a server over keep-alive connections: at saturation, or at a fixed rate.
import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "undici";
import { percentile } from "./percentile.ts";

export interface LoadRequest {
  method: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

const PARALLEL = 32;

/** Requests per second with 32 in flight, over `count` of them; `requests` take turns. Throws Error at the
 *  first that is not answered with 200. */
export async function measureThroughput(
  baseUrl: string,
  requests: readonly LoadRequest[],
  count: number,
): Promise<number> {
  const pool = new Pool(baseUrl, { connections: PARALLEL, pipelining: 1 });
  const startedMs = performance.now();
  let begun = 0;
  const client = async (): Promise<void> => {
    while (begun < count) {
      await send(pool, requests[begun++ % requests.length]);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, client));
  const elapsedS = (performance.now() - startedMs) / 1000;
  await pool.close();
  return count / elapsedS;
}

/** Times to answer in ms, median and 99th percentile, at `perSecond` requests that do not wait for each other;
 *  `requests` take turns. A request that was sent late because this process stalled counts from its sending. */
export async function measureLatency(
  baseUrl: string,
  requests: readonly LoadRequest[],
  { perSecond, count }: { perSecond: number; count: number },
): Promise<{ p50Ms: number; p99Ms: number }> {
  const pool = new Pool(baseUrl, { connections: PARALLEL, pipelining: 1 });
  const times: number[] = [];
  const underWay: Promise<void>[] = [];
  const startedMs = performance.now();
  for (let sent = 0; sent < count; sent++) {
    const dueMs = startedMs + (sent * 1000) / perSecond;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await delay(waitMs);
    const sentMs = performance.now();
    underWay.push(send(pool, requests[sent % requests.length]).then(() => void times.push(performance.now() - sentMs)));
  }
  await Promise.all(underWay);
  await pool.close();
  return { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) };
}

async function send(pool: Pool, { method, path, headers, body }: LoadRequest): Promise<void> {
  const response = await pool.request({ method, path, headers, body });
  const text = await response.body.text();
  if (response.statusCode !== 200) throw new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 300)}`);
}
