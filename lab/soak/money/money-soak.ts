// Money under fire: random operations against real api processes that are killed at random, then a look into the books.
import { setAccountStatus } from "../../../api/accounts/account-store.ts";
import { openAccount } from "../../../api/accounts/open-account.ts";
import { createDatabase, createPool, type Database } from "../../../api/kernel/database/database.ts";
import { createLogger } from "../../../program/log.ts";
import { createSeededRandom, type SeededRandom } from "../seeded-random.ts";
import { callUntilAnswered } from "./api-caller.ts";
import { type ApiClients, startApiClients } from "./api-clients.ts";
import { checkBooks, countUnsettled } from "./check-books.ts";
import { startImageServer } from "./image-server.ts";
import { operate, type Promises, type SoakAccount, type SoakContext } from "./operations.ts";

export interface MoneySoakOptions {
  /** A migrated database that nothing else uses. */
  databaseUrl: string;
  /** Folder of the api processes' data. */
  dataDir: string;
  operations: number;
  /** Times that a process is killed with signal 9. */
  kills: number;
  /** Decides which operations are done and when a process dies; how they interleave is the machine's. */
  seed: number;
  /** Api processes at a time. Default 2. */
  processes?: number;
  /** Agents that are made for real. Default one for each 150 operations. */
  realAgents?: number;
  report?: (line: string) => void;
}

export interface MoneySoakResult {
  seed: number;
  operations: number;
  kills: number;
  /** How often each operation ended how. */
  outcomes: Record<string, number>;
  movements: number;
  /** What is wrong. Empty if all is well. */
  violations: string[];
}

/** Clients at a time. */
const CONCURRENCY = 12;
const PLANS = [
  "enterprise",
  "enterprise",
  "enterprise",
  "enterprise",
  "business",
  "business",
  "business",
  "pro",
] as const;
const REPORT_EVERY = 500;
/** An image's server that stays down keeps a job going for a minute and a half. */
const REST_TIMEOUT_MS = 600_000;
const POLL_MS = 250;

/** Runs the soak. Rejects only when it could not be run. */
export async function soakMoney(options: MoneySoakOptions): Promise<MoneySoakResult> {
  const { databaseUrl, dataDir, seed, report = () => undefined } = options;
  const random = createSeededRandom(seed);
  const pool = createPool({ url: databaseUrl, logger: createLogger({ level: "silent", name: "soak" }) });
  const database = createDatabase(pool);
  const images = await startImageServer();
  const environment = { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" };
  const clients = await startApiClients(options.processes ?? 2, { databaseUrl, dataDir, environment });
  try {
    const context: SoakContext = {
      random,
      clients,
      database,
      images,
      accounts: await openAccounts(database),
      realAgents: options.realAgents ?? Math.ceil(options.operations / 150),
      calendar: new Date(),
      promises: emptyPromises(),
    };
    await operateUnderFire(context, options, report);
    await clients.whole();
    report("the operations are done; waiting for jobs and sessions to come to an end");
    await bringToRest(context);
    const violations = await checkBooks(database, context.promises);
    const { count } = await database
      .selectFrom("credit_movements")
      .select((fields) => fields.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    const outcomes = Object.fromEntries(
      [...context.promises.outcomes].sort(([left], [right]) => left.localeCompare(right)),
    );
    return { seed, operations: options.operations, kills: clients.kills, outcomes, movements: count, violations };
  } finally {
    await clients.close();
    await images.close();
    await pool.end();
  }
}

/** Does the operations, a few at a time, and kills a process at moments of the seed's choice. */
async function operateUnderFire(
  context: SoakContext,
  { operations, kills, processes = 2 }: MoneySoakOptions,
  report: (line: string) => void,
): Promise<void> {
  const fatal = killMoments(createSeededRandom(context.random.integer(2 ** 31)), operations, kills, processes);
  const dying = new Set<Promise<void>>();
  let begun = 0;
  const client = async (): Promise<void> => {
    while (begun < operations) {
      const index = begun++;
      for (const { victim, delayMs } of fatal.get(index) ?? []) {
        // Operations wait for deaths that are overdue, so that none falls into the quiet after the last operation.
        while (dying.size >= processes) await Promise.race(dying);
        const death: Promise<void> = killLater(context.clients, victim, delayMs).finally(() => dying.delete(death));
        dying.add(death);
      }
      if (index > 0 && index % REPORT_EVERY === 0) report(`${index} operations, ${context.clients.kills} kills`);
      await operate(context);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, client));
  await Promise.all(dying);
}

/** Before which operation which process dies, and how much later. */
function killMoments(random: SeededRandom, operations: number, kills: number, processes: number) {
  const moments = new Map<number, { victim: number; delayMs: number }[]>();
  for (let kill = 0; kill < kills; kill++) {
    // Spread over the run, so that a process that came back lives for a while.
    const index = Math.floor(((kill + random.next()) * operations) / kills);
    const moment = { victim: random.integer(processes), delayMs: random.integer(250) };
    moments.set(index, [...(moments.get(index) ?? []), moment]);
  }
  return moments;
}

async function killLater(clients: ApiClients, victim: number, delayMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  await clients.kill(victim);
}

async function openAccounts(database: Database): Promise<SoakAccount[]> {
  const accounts: SoakAccount[] = [];
  for (const [index, plan] of PLANS.entries()) {
    const email = `soak-${index}@example.test`;
    // Half of them soon run out of credits.
    const credits = index % 2 === 0 ? undefined : 5_000;
    accounts.push(await openAccount(database, { email, plan, credits, now: new Date() }));
  }
  return accounts;
}

/** Ends the sessions that were left alone, and waits until every job has ended. */
async function bringToRest(context: SoakContext): Promise<void> {
  const { accounts, clients, database, promises, random } = context;
  for (const { userId } of accounts) await setAccountStatus(database, userId, "active");
  const open = await database
    .selectFrom("avatar_sessions")
    .innerJoin("accounts", "accounts.user_id", "avatar_sessions.user_id")
    .select(["avatar_sessions.id", "avatar_sessions.user_id"])
    .where("avatar_sessions.status", "<>", "ended")
    .execute();
  for (const { id, user_id: userId } of open) {
    const secret = accounts.find((account) => account.userId === userId)?.secret ?? "";
    const path = `/v2/${userId}/runtime-sessions/${id}/terminate`;
    for (;;) {
      const reply = await callUntilAnswered(clients, (urls) => random.pick(urls), "POST", path, { secret, body: {} });
      if (reply.status !== 429) break;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
  const deadline = Date.now() + REST_TIMEOUT_MS;
  for (;;) {
    const unsettled = await countUnsettled(database);
    if (unsettled.agents + unsettled.sessions + unsettled.jobs === 0) return;
    if (Date.now() > deadline) {
      promises.violations.push(`never came to rest: ${JSON.stringify(unsettled)}`);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function emptyPromises(): Promises {
  return {
    agents: new Map(),
    lostOrders: new Map(),
    sessions: [],
    grants: new Map(),
    violations: [],
    outcomes: new Map(),
  };
}
