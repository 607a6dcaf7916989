// An open console beside many sessions, for an hour: memory stays flat, and changes are seen within a second.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findOperatorSecret } from "../../../api/accounts/operator-account.ts";
import { createRandomValue, hashRandomValue } from "../../../api/accounts/sign-in/random-value.ts";
import { createDatabase, type Database } from "../../../api/kernel/database/database.ts";
import { readEnvFile } from "../../../cli/start/env-file.ts";
import { createLogger } from "../../../program/log.ts";
import { type ChangeEvents, openChanges } from "../../../test/helpers/service/change-events.ts";
import { consoleCookie } from "../../bench/pages/console-cookie.ts";
import { percentile } from "../../bench/percentile.ts";
import { type DrivenService, startOwnService } from "../../bench/service/own-service.ts";
import { withPlainChromium } from "../browser/plain-chromium.ts";
import { PROGRAMS, type ServiceMemory, ServiceMemoryMeter } from "../hostile-input/service-memory.ts";
import { ConsolePage } from "./console-page.ts";
import { type Level, levelOf } from "./is-level.ts";
import { RealSessions } from "./real-sessions.ts";
import { WrittenSessions } from "./written-sessions.ts";

export interface ConsoleSoakOptions {
  environment: Readonly<Record<string, string | undefined>>;
  minutes: number;
  report(line: string): void;
}

export interface ConsoleMemory extends ServiceMemory {
  pageHeapMb: number;
  pageProcessMb: number;
}

/** Half of the times, 95 of 100 and all are at most this, ms. */
export interface Times {
  median: number;
  p95: number;
  most: number;
}

export interface ConsoleSoakResult {
  minutes: number;
  sessions: { written: number; streamed: number; audio_only: number };
  /** From the commit of a row until the stream names its kind, and until the page shows it. */
  streamed_ms: Times;
  visible_ms: Times;
  /** Events of the plain stream. */
  events: number;
  memory: Record<"pageHeapMb" | "pageProcessMb" | "apiMb", Level>;
  samples: ConsoleMemory[];
  violations: string[];
}

const WRITTEN = 200;
const STREAMED = 2;
const AUDIO_ONLY = 6;
const SAMPLES = 60;
const TICK_MS = 1_000;
/** In ticks. */
const TURN_OVER_EVERY = 2;
const SPEAK_EVERY = 5;
const MARK_EVERY = 10;
/** After more, the run ends. */
const MAX_VIOLATIONS = 20;
const GOAL_VISIBLE_MS = 1_000;
const MEASURED = ["pageHeapMb", "pageProcessMb", "apiMb"] as const;

/** Needs Chromium. Throws Error if the service or its sessions do not start. */
export async function soakConsole({ environment, minutes, report }: ConsoleSoakOptions): Promise<ConsoleSoakResult> {
  const service = await startOwnService({ environment, report });
  const { DATABASE_URL: url } = await readEnvFile(join(service.dataDir ?? "", "postgres.env"));
  const database = createDatabase({ url, logger: createLogger({ level: "error", name: "soak" }) });
  let real: RealSessions | undefined;
  let changes: ChangeEvents | undefined;
  try {
    real = await RealSessions.open(service, STREAMED, AUDIO_ONLY);
    const cookie = await consoleCookie(service);
    changes = await openChanges(service.client, { cookie: `${cookie.name}=${cookie.value}` });
    const beside = { service, database, real, changes, minutes, report };
    return await withPlainChromium(async (browser) =>
      use({ ...beside, page: await ConsolePage.open(browser, service.client.baseUrl, cookie) }),
    );
  } finally {
    changes?.close();
    await real?.close();
    await database.destroy();
    await service.close();
  }
}

interface Used {
  service: DrivenService;
  database: Database;
  real: RealSessions;
  changes: ChangeEvents;
  page: ConsolePage;
  minutes: number;
  report(line: string): void;
}

async function use({ service, database, real, changes, page, minutes, report }: Used): Promise<ConsoleSoakResult> {
  const operator = await findOperatorSecret(database);
  if (!operator) throw new Error("the service has no operator");
  const written = new WrittenSessions({ database, userId: operator.userId, agentCode: service.agentCode });
  await written.add(WRITTEN);
  // The view's first page.
  await page.untilLive(WRITTEN);
  const meter = await ServiceMemoryMeter.start(service, real.pids);
  const violations: string[] = [];
  const samples: ConsoleMemory[] = [];
  const [streamedMs, visibleMs]: [number[], number[]] = [[], []];
  const startMs = performance.now();
  const spanMs = minutes * 60_000;
  for (let tick = 1; performance.now() - startMs < spanMs; tick++) {
    const nextMs = startMs + tick * TICK_MS;
    try {
      await written.beat(TICK_MS / 1_000);
      await written.say();
      if (tick % TURN_OVER_EVERY === 0) await written.turnOver();
      if (tick % SPEAK_EVERY === 0) await real.speak();
      if (tick % MARK_EVERY === 0) {
        const times = await mark(`Soak ${tick}`, { database, changes, page, ...operator });
        streamedMs.push(times.streamedMs);
        visibleMs.push(times.visibleMs);
      }
      if (performance.now() - startMs >= ((samples.length + 1) * spanMs) / SAMPLES) {
        const { workerMb, apiMb, relayMb } = await meter.read();
        const sample = { ...(await page.memory()), workerMb, apiMb, relayMb };
        samples.push(sample);
        report(`${samples.length} of ${SAMPLES}: ${describe(sample)}; seen after ${visibleMs.at(-1) ?? "?"} ms`);
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      violations.push(message);
      report(`${Math.round((performance.now() - startMs) / 1_000)} s: ${message}`);
      if (violations.length > MAX_VIOLATIONS) throw new Error(`too much went wrong:\n${violations.join("\n")}`);
    }
    await delay(Math.max(0, nextMs - performance.now()));
  }
  const live = await countLive(database, real.ids);
  if (live < STREAMED + AUDIO_ONLY) violations.push(`${live} of ${STREAMED + AUDIO_ONLY} real sessions are live`);
  if (changes.hasEnded) violations.push(`the stream has ended: ${changes.events.at(-1)}`);
  for (const problem of page.problems) violations.push(`the page: ${problem}`);
  for (const name of await meter.lost()) violations.push(`${name} is another process than at the start`);
  const memory = Object.fromEntries(
    MEASURED.map((name) => [name, levelOf(samples.map((sample) => sample[name]))]),
  ) as ConsoleSoakResult["memory"];
  for (const name of MEASURED) {
    const { isLevel, early, late } = memory[name];
    if (!isLevel) violations.push(`${name} grew from ${early} to ${late}`);
  }
  const visible = timesOf(visibleMs);
  if (visible.median > GOAL_VISIBLE_MS) violations.push(`changes are seen after ${visible.median} ms (median)`);
  return {
    minutes,
    sessions: { written: WRITTEN, streamed: STREAMED, audio_only: AUDIO_ONLY },
    streamed_ms: timesOf(streamedMs),
    visible_ms: visible,
    events: changes.events.length,
    memory,
    samples,
    violations,
  };
}

/** Writes a row that the account's view lists, and times when the stream and the page know it. */
async function mark(
  name: string,
  beside: Pick<Used, "database" | "changes" | "page"> & { userId: string; secretId: string },
): Promise<{ streamedMs: number; visibleMs: number }> {
  const { database, changes, page, userId, secretId } = beside;
  const before = changes.events.length;
  const now = new Date();
  const { id } = await database
    .insertInto("console_sessions")
    .values({
      user_id: userId,
      cookie_sha256: hashRandomValue(createRandomValue()),
      secret_id: secretId,
      method: "link",
      user_agent: name,
      address: "127.0.0.1",
      created_at: now,
      last_used_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const sinceMs = performance.now();
  const after = () => Math.round(performance.now() - sinceMs);
  const streamed = (async () => {
    while (!changes.events.slice(before).some((event) => event.includes("secrets"))) {
      if (after() > 60_000) throw new Error(`the stream does not bring ${name}`);
      await delay(5);
    }
    return after();
  })();
  try {
    const [streamedMs, visibleMs] = await Promise.all([streamed, page.untilListed(name).then(after)]);
    return { streamedMs, visibleMs };
  } finally {
    await database.deleteFrom("console_sessions").where("id", "=", id).execute();
  }
}

async function countLive(database: Database, ids: readonly string[]): Promise<number> {
  const { count } = await database
    .selectFrom("avatar_sessions")
    .select((fields) => fields.fn.countAll<number>().as("count"))
    .where("id", "in", ids)
    .where("status", "=", "live")
    .executeTakeFirstOrThrow();
  return Number(count);
}

function timesOf(values: readonly number[]): Times {
  const at = (share: number) => percentile(values, share);
  return { median: at(0.5), p95: at(0.95), most: at(1) };
}

function describe({ pageHeapMb, pageProcessMb, ...programs }: ConsoleMemory): string {
  const service = PROGRAMS.map((name) => `${name.replace("Mb", "")} ${programs[name]}`).join(", ");
  return `page ${pageHeapMb} MB of scripts, ${pageProcessMb} MB of processes; ${service} MB`;
}
