// The control plane: throughput of the api relative to a bare handler, and the time to create an agent.
import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { openAccount } from "../../api/accounts/open-account.ts";
import { insertAgent } from "../../api/agents/record/agent-store.ts";
import { createDatabase, type Database } from "../../api/kernel/database/database.ts";
import { migrate } from "../../api/kernel/database/migrate.ts";
import { MIGRATIONS } from "../../api/migrations/migrations.ts";
import { buildServer } from "../../cli/start/build/build-programs.ts";
import { startEmbeddedPostgres } from "../../cli/start/postgres/embedded-postgres.ts";
import type { ServiceAccess } from "../../cli/start/service/service-access.ts";
import { createLogger } from "../../program/log.ts";
import { type LoadRequest, measureLatency, measureThroughput } from "./http-load.ts";
import { percentile, summarize } from "./percentile.ts";
import type { RestServerCpu, RestServerReady } from "./rest-server.ts";
import { round } from "./round.ts";

const SERVER = fileURLToPath(new URL("./rest-server.ts", import.meta.url));
/** Bare handler and api alternate, so that other load affects both alike. Rounds have a fixed number of requests,
 *  because the JIT compiles after a number of calls. */
const ROUNDS = 7;
const WARM_UP_REQUESTS = 4_000;
const ROUND_REQUESTS = 2_000;
/** Requests rotate over this many accounts and agents, so that simultaneous requests for the same agent are rare. */
const ACCOUNTS = 8;
const AGENTS_OF_EACH = 8;
const LATENCY_PASSES = 3;
const AGENT_TIMEOUT_MS = 120_000;

interface Target {
  baseUrl: string;
  requests: LoadRequest[];
}

interface Saturation {
  /** Requests per second, median of the rounds. */
  requests_per_s: number;
  /** CPU time of the server for one request, in ms, of all rounds. */
  cpu_ms: number;
}

/** Measures reads (`/v1/agent/status`) and writes (`/v1/agent/{code}`) of the api against a bare Koa handler that makes
 *  one query by primary key, in one process and on one pool of connections, with a database of their own. */
export async function benchRest() {
  const dataDir = await mkdtemp(join(tmpdir(), "open-avatar-service-bench-"));
  // PostgreSQL may run as another user, who needs access.
  await chmod(dataDir, 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir });
  const logger = createLogger({ name: "bench", level: "silent" });
  const database = createDatabase({ url: postgres.url, logger, maxConnections: 1 });
  await migrate(database, MIGRATIONS);
  const agents = await addAgents(database);
  // As `npm start` runs the api.
  const { script, nodeFlags } = await buildServer("rest-server", SERVER);
  const server = fork(script, [postgres.url, dataDir], { execArgv: nodeFlags });
  try {
    const { apiUrl, bareUrl } = await untilReady(server);
    const body = JSON.stringify({ system_prompt: "You are a guide." });
    const bare: Target = {
      baseUrl: bareUrl,
      requests: agents.map(({ userId }) => ({ method: "GET", path: `/${userId}` })),
    };
    const read: Target = {
      baseUrl: apiUrl,
      requests: agents.map(({ code, headers }) => ({ method: "GET", path: `/v1/agent/status/${code}`, headers })),
    };
    const write: Target = {
      baseUrl: apiUrl,
      requests: agents.map(({ code, headers }) => ({ method: "POST", path: `/v1/agent/${code}`, headers, body })),
    };
    // Limits are applied but never reached: the buckets are refilled between rounds.
    const refill = () => sql`delete from rate_buckets`.execute(database);
    return {
      read: await compare({ server, target: read, bare, refill }),
      write: await compare({ server, target: write, bare, refill }),
    };
  } finally {
    if (server.connected) server.disconnect();
    if (server.exitCode === null) await once(server, "exit");
    await database.destroy();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Accounts with agents, and what a request for each agent carries. */
async function addAgents(database: Database) {
  const now = new Date();
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) =>
    openAccount(database, { email: `bench-${index}@localhost`, plan: "custom", credits: 1_000_000, now }),
  );
  const agents: { userId: string; code: string; headers: Record<string, string> }[] = [];
  for (const { userId, secret } of await Promise.all(accounts)) {
    for (let index = 0; index < AGENTS_OF_EACH; index++) {
      const code = `B${randomBytes(4).toString("hex")}`;
      await insertAgent(database, {
        userId,
        code,
        name: "A guide",
        prompt: "A guide",
        systemPrompt: "You are a guide.",
        model: "essence-2",
        aspectRatio: "16:9",
        framing: "portrait",
        transparency: false,
        isAutoModel: false,
        imageUrl: null,
        imageKey: null,
        portraitKey: null,
        portraitSize: null,
        voiceSampleUrl: null,
        voiceSampleKey: null,
        voiceCharacter: null,
        createdAt: now,
      });
      agents.push({ userId, code, headers: { "api-secret": secret, "content-type": "application/json" } });
    }
  }
  // Consecutive requests belong to different accounts.
  return agents.map((_, index) => agents[(index * AGENTS_OF_EACH + Math.floor(index / ACCOUNTS)) % agents.length]);
}

interface Comparison {
  server: ChildProcess;
  target: Target;
  bare: Target;
  /** Fills the rate buckets again. */
  refill(): Promise<unknown>;
}

/** Throughput at saturation and times at half of the api's, of both. Ratios are the api's to the bare handler's;
 *  `cpu_ratio` is what the throughput's would be if the server's CPU time alone decided. */
async function compare({ server, target, bare, refill }: Comparison) {
  // Warm-up: code is compiled and connections are opened.
  for (const each of [bare, target]) await measureThroughput(each.baseUrl, each.requests, WARM_UP_REQUESTS);
  const rates = { bare: [] as number[], api: [] as number[], ratio: [] as number[] };
  const cpu = { bare: { ms: 0, requests: 0 }, api: { ms: 0, requests: 0 } };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, each] of [["bare", bare] as const, ["api", target] as const]) {
      await refill();
      const before = await cpuOf(server);
      const rate = await measureThroughput(each.baseUrl, each.requests, ROUND_REQUESTS);
      cpu[name].ms += (await cpuOf(server)) - before;
      cpu[name].requests += ROUND_REQUESTS;
      rates[name].push(rate);
    }
    rates.ratio.push(rates.api[round] / rates.bare[round]);
  }
  const saturation = (name: "bare" | "api"): Saturation => ({
    requests_per_s: Math.round(percentile(rates[name], 0.5)),
    cpu_ms: round(cpu[name].ms / cpu[name].requests),
  });
  const perSecond = percentile(rates.api, 0.5) / 2;
  const times = { bare: [] as number[], api: [] as number[] };
  for (let pass = 0; pass < LATENCY_PASSES; pass++) {
    for (const [name, each] of [["bare", bare] as const, ["api", target] as const]) {
      await refill();
      const { p99Ms } = await measureLatency(each.baseUrl, each.requests, { perSecond, count: ROUND_REQUESTS });
      times[name].push(p99Ms);
    }
  }
  const [bareP99Ms, apiP99Ms] = [percentile(times.bare, 0.5), percentile(times.api, 0.5)];
  return {
    bare: saturation("bare"),
    api: saturation("api"),
    throughput_ratio: round(percentile(rates.ratio, 0.5)),
    cpu_ratio: round(cpu.bare.ms / cpu.bare.requests / (cpu.api.ms / cpu.api.requests)),
    half_load: {
      requests_per_s: Math.round(perSecond),
      bare_p99_ms: round(bareP99Ms),
      api_p99_ms: round(apiP99Ms),
      p99_ratio: round(apiP99Ms / bareP99Ms),
    },
  };
}

/** Times in s from the request to `ready`, one agent after the other, each from a portrait of the gallery. */
export async function benchCreate({ client }: ServiceAccess, agents: number) {
  const times: number[] = [];
  for (let index = 0; index < agents; index++) {
    const startedMs = performance.now();
    const code = await client.generateAgent({ prompt: `A guide, number ${index}.`, model: "essence-2" });
    await client.waitForAgent(code, AGENT_TIMEOUT_MS);
    times.push((performance.now() - startedMs) / 1000);
    await client.deleteAgent(code);
  }
  return { agents, ready_s: summarize(times) };
}

async function untilReady(server: ChildProcess): Promise<RestServerReady> {
  const ended = once(server, "exit").then(() => {
    throw new Error("the server of the benchmark ended before it was ready");
  });
  const [ready] = (await Promise.race([once(server, "message"), ended])) as [RestServerReady];
  ended.catch(() => undefined);
  return ready;
}

async function cpuOf(server: ChildProcess): Promise<number> {
  const answer = once(server, "message") as Promise<[RestServerCpu]>;
  server.send("cpu");
  return (await answer)[0].cpuMs;
}
