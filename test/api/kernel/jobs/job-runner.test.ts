import { EventEmitter, once } from "node:events";
import { Kysely, PostgresDialect } from "kysely";
import type pg from "pg";
import t from "tap";
import { createPool } from "../../../../api/kernel/database/database.ts";
import { addJob } from "../../../../api/kernel/jobs/add-job.ts";
import { createJobRunner, installJobTables, type JobKind } from "../../../../api/kernel/jobs/job-runner.ts";
import { releaseJobsOfDeadProcesses } from "../../../../api/kernel/jobs/process-lock.ts";
import { createLogger } from "../../../../program/log.ts";
import { forkModule } from "../../../helpers/processes/fork-module.ts";
import { withDatabase } from "../../../helpers/servers/with-database.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const logger = createLogger({ name: "test", level: "silent" });
const DEADLINE_MS = 40_000;

interface Context {
  pool: pg.Pool;
  database: Kysely<unknown>;
  url: string;
}

async function withQueue(use: (context: Context) => Promise<void>): Promise<void> {
  await withDatabase(async ({ url }) => {
    const pool = createPool({ url, logger, maxConnections: 8 });
    const database = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
    try {
      await installJobTables(pool, logger);
      await use({ pool, database, url });
    } finally {
      await database.destroy();
    }
  });
}

/** A kind of job that hands each call to the test. */
function observedKind(name: string, act: JobKind["run"] = async () => undefined) {
  const calls: { payload: unknown; attempt: number }[] = [];
  const waiting: (() => void)[] = [];
  const kind: JobKind = {
    name,
    concurrency: 1,
    async run(payload, context) {
      calls.push({ payload, attempt: context.attempt });
      for (const resolve of waiting.splice(0)) resolve();
      await act(payload, context);
    },
  };
  async function untilCalls(count: number): Promise<void> {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    while (calls.length < count) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        setTimeout(resolve, 200).unref();
      });
    }
  }
  return { kind, calls, untilCalls };
}

t.test("a job that ends while no connection is free is completed later", { timeout: 60_000 }, async (t) => {
  await withDatabase(async ({ url }) => {
    const pool = createPool({ url, logger, maxConnections: 4, connectTimeoutMs: 300 });
    const others = createPool({ url, logger });
    await installJobTables(pool, logger);
    const end = new EventEmitter();
    const { kind, untilCalls } = observedKind("greet", async () => void (await once(end, "end")));
    const runner = createJobRunner({ pool, kinds: [kind], logger });
    await runner.start();
    await new Kysely<unknown>({ dialect: new PostgresDialect({ pool: others }) })
      .transaction()
      .execute((transaction) => addJob(transaction, "greet", {}));
    await untilCalls(1);
    const held: pg.PoolClient[] = [];
    const holdAll = async () => {
      for (;;) held.push(await pool.connect());
    };
    await t.rejects(holdAll(), /timeout/, "the wait for a connection has an end");
    end.emit("end");
    await waitFor(() => pool.waitingCount > 0, "the end of the job to wait for a connection");
    await waitFor(() => pool.waitingCount === 0, "that wait to end");
    for (const client of held) client.release();
    const left = async () => (await others.query("select 1 from graphile_worker.jobs")).rowCount;
    await waitFor(async () => (await left()) === 0, "the job is completed");
    await runner.close();
    await Promise.all([pool.end(), others.end()]);
  });
});

t.test("a job exists if and only if its transaction was committed, and a failed job is retried", async (t) => {
  await withQueue(async ({ pool, database }) => {
    const { kind, calls, untilCalls } = observedKind("greet", async (payload, { attempt }) => {
      if ((payload as { fails?: boolean }).fails && attempt === 1) throw new Error("once");
    });
    const runner = createJobRunner({ pool, kinds: [kind], logger });
    await runner.start();
    await t.rejects(
      database.transaction().execute(async (transaction) => {
        await addJob(transaction, "greet", { name: "rolled back" });
        throw new Error("no");
      }),
    );
    await database.transaction().execute((transaction) => addJob(transaction, "greet", { name: "kept", fails: true }));
    await untilCalls(2);
    t.same(calls, [
      { payload: { name: "kept", fails: true }, attempt: 1 },
      { payload: { name: "kept", fails: true }, attempt: 2 },
    ]);
    await runner.close();
    await runner.close();
  });
});

t.test("jobs of one key do not accumulate, and at most the configured number run at the same time", async (t) => {
  await withQueue(async ({ pool, database }) => {
    let running = 0;
    let most = 0;
    const { kind, calls, untilCalls } = observedKind("count", async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 30));
      running--;
    });
    await addJob(database, "count", { n: 1 }, { key: "same" });
    await addJob(database, "count", { n: 2 }, { key: "same" });
    for (let n = 3; n <= 6; n++) await addJob(database, "count", { n });
    const runner = createJobRunner({ pool, kinds: [{ ...kind, concurrency: 2 }], logger });
    await runner.start();
    await untilCalls(5);
    await runner.close();
    t.same(calls.map(({ payload }) => (payload as { n: number }).n).sort(), [2, 3, 4, 5, 6]);
    t.equal(most, 2);
  });
});

t.test("accounts take turns, and one account's jobs take a part of the slots only", async (t) => {
  await withQueue(async ({ pool, database }) => {
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const { kind, untilCalls } = observedKind("film", async (payload) => {
      const { name } = payload as { name: string };
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    });
    const runner = createJobRunner({ pool, kinds: [{ ...kind, concurrency: 3, perOwner: 2 }], logger });
    for (const name of ["a1", "a2", "a3", "a4"]) await addJob(database, "film", { name }, { owner: "ada" });
    for (const name of ["b1", "c1"]) await addJob(database, "film", { name }, { owner: name.slice(0, 1) });
    await runner.start();
    await untilCalls(3);
    t.same([...begun].sort(), ["a1", "b1", "c1"], "each account's first one");
    ends.get("b1")?.();
    await untilCalls(4);
    t.equal(begun[3], "a2");
    ends.get("c1")?.();
    await addJob(database, "film", { name: "d1" }, { owner: "dan" });
    await untilCalls(5);
    t.equal(begun[4], "d1", "two of an account run at a time, so another account's job takes the free slot");
    for (const name of ["a1", "a2"]) ends.get(name)?.();
    await untilCalls(7);
    for (const end of ends.values()) end();
    await runner.close();
  });
});

t.test("the job of a process killed with -9 is run again by the next process that polls", async (t) => {
  await withQueue(async ({ pool, database, url }) => {
    await addJob(database, "hold", { n: 1 });
    const child = forkModule(new URL("./holding-process.ts", import.meta.url), [url]);
    t.teardown(() => child.kill("SIGKILL"));
    const [message] = await Promise.race([once(child, "message"), once(child, "exit")]);
    t.equal(message, "holding");
    t.same(await releaseJobsOfDeadProcesses(pool), [], "a living process keeps its job");
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
    let recoveries = 0;
    const { kind, calls, untilCalls } = observedKind("hold");
    const onRecovery = async () => void recoveries++;
    const runner = createJobRunner({ pool, kinds: [kind], logger, onRecovery });
    await runner.start();
    await untilCalls(1);
    await runner.close();
    t.same(calls, [{ payload: { n: 1 }, attempt: 2 }]);
    t.ok(recoveries >= 1);
  });
});

t.test("a runner that loses the connection of its liveness lock acquires the lock again", async (t) => {
  await withQueue(async ({ pool, database }) => {
    let finish: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { kind, untilCalls } = observedKind("long", () => held);
    const runner = createJobRunner({ pool, kinds: [kind], logger });
    await runner.start();
    await addJob(database, "long", {});
    await untilCalls(1);
    // Of this database alone: other tests hold locks on the same server.
    const holders = `select pid from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where datname = current_database() and locktype = 'advisory' and granted`;
    const [before] = (await pool.query(holders)).rows;
    await pool.query("select pg_terminate_backend($1)", [before.pid]);
    const signal = AbortSignal.timeout(DEADLINE_MS);
    let after = before;
    while (after === undefined || after.pid === before.pid) {
      signal.throwIfAborted();
      [after] = (await pool.query(holders)).rows;
    }
    t.same(await releaseJobsOfDeadProcesses(pool), []);
    finish();
    await runner.close();
  });
});
