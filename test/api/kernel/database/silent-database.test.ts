// A database that falls silent: queries fail in time, and the connection that listens is opened anew.
import t from "tap";
import { createPool } from "../../../../api/kernel/database/database.ts";
import { databaseFailure } from "../../../../api/kernel/database/database-failure.ts";
import { createNotifications } from "../../../../api/kernel/database/notifications.ts";
import { createLogger } from "../../../../program/log.ts";
import { openTcpGate, type TcpGate } from "../../../helpers/servers/tcp-gate.ts";
import { withDatabase } from "../../../helpers/servers/with-database.ts";
import { withSilentServer } from "../../../helpers/servers/with-silent-server.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });
const UNREACHABLE = { code: "SERVICE_UNAVAILABLE" };

/** A pool with connections that pass a gate. */
function withGate(work: (pool: ReturnType<typeof createPool>, gate: TcpGate) => Promise<void>): Promise<void> {
  return withDatabase(async ({ url }) => {
    const target = new URL(url);
    const gate = await openTcpGate(Number(target.port));
    target.hostname = "127.0.0.1";
    target.port = String(gate.port);
    const pool = createPool({ url: target.href, logger, connectTimeoutMs: 1_000, queryTimeoutMs: 500 });
    try {
      await work(pool, gate);
    } finally {
      gate.shut();
      await pool.end();
      await gate.close();
    }
  });
}

t.test("a server that accepts and stays silent refuses a query in time", async (t) => {
  await withSilentServer(async ({ host }) => {
    const pool = createPool({ url: `postgres://nobody@${host}/x`, logger, connectTimeoutMs: 300 });
    const error = await pool.query("select 1").catch((caught: unknown) => caught);
    t.match(databaseFailure(error), UNREACHABLE);
    await pool.end();
  });
});

t.test("a query that gets no answer fails in time, and its connection is not used again", async (t) => {
  await withGate(async (pool, gate) => {
    await pool.query("select 1");
    gate.freeze();
    const error = await pool.query("select 1").catch((caught: unknown) => caught);
    t.match(databaseFailure(error), UNREACHABLE, String(error));
    gate.open();
    t.same((await pool.query("select 1 as one")).rows, [{ one: 1 }]);
    await t.resolves(pool.query("select pg_sleep(0.2)"), "a query that is slow is not silent for that long");
  });
});

t.test("a listening connection that has fallen silent is opened anew, and hears again", async (t) => {
  await withGate(async (pool, gate) => {
    const lines: string[] = [];
    const noting = createLogger({ level: "warn", name: "test", stream: { write: (line) => void lines.push(line) } });
    const notifications = createNotifications({ pool, channels: ["news"], logger: noting, pingIntervalMs: 100 });
    await notifications.start();
    const receive = async () => {
      let checks = 0;
      const received = notifications.waitFor({ channel: "news", payload: "x", timeoutMs: 10_000 }, async () =>
        ++checks > 1 ? checks : undefined,
      );
      await waitFor(() => checks === 1, "it waits");
      await pool.query("select pg_notify('news', 'x')");
      return received;
    };
    t.ok(await receive());
    gate.freeze();
    await waitFor(() => lines.some((line) => line.includes("notification connection lost")), "its end");
    gate.open();
    const startMs = performance.now();
    t.ok(await receive());
    t.ok(performance.now() - startMs < 9_000);
    await notifications.close();
  });
});
