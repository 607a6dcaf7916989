// Deliveries outlive the processes that send them: killed at any moment, stopped, or with their jobs lost.
import { once } from "node:events";
import { sql } from "kysely";
import type pg from "pg";
import t, { type Test } from "tap";
import { createAccount } from "../../../api/accounts/account-store.ts";
import { type Api, createApi } from "../../../api/create-api.ts";
import { createPool } from "../../../api/kernel/database/database.ts";
import { sweepJobQueues } from "../../../api/kernel/jobs/job-runner.ts";
import { createTextSeal } from "../../../api/kernel/tokens/sealed-text.ts";
import { wakeStrandedLanes } from "../../../api/webhooks/delivery/deliver-job.ts";
import { deleteOldDeliveries } from "../../../api/webhooks/delivery/delivery-store.ts";
import { insertEndpoint } from "../../../api/webhooks/endpoint-store.ts";
import { publishAccountEvent } from "../../../api/webhooks/publish-event.ts";
import { parseConfig } from "../../../program/config.ts";
import { createLogger } from "../../../program/log.ts";
import { forkModule } from "../../helpers/processes/fork-module.ts";
import { withDatabase } from "../../helpers/servers/with-database.ts";
import { type WebhookReceiver, withWebhookReceiver } from "../../helpers/servers/with-webhook-receiver.ts";
import { checkWebhookSignature } from "../../helpers/service/check-webhook-signature.ts";
import { ALLOW_LOOPBACK, QUICK, withWebhooks } from "../../helpers/service/with-webhooks.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const CHILD_MS = 60_000;
const SECRET = "whsec_known";

interface Crash {
  api: Api;
  receiver: WebhookReceiver;
  /** Starts a process that sends waiting deliveries, and kills it with -9 when `isTheMoment` returns true. */
  killAt(isTheMoment: () => Promise<boolean>): Promise<void>;
  /** Connections to the same database. */
  pool: pg.Pool;
}

/** An account with two events for its endpoint, queued by an api that does not send. */
function withCrash(t: Test, work: (crash: Crash) => Promise<void>): Promise<void> {
  return withDatabase(({ url }) =>
    withWebhookReceiver(async (receiver) => {
      const dataDir = t.testdir();
      const logger = createLogger({ name: "test", level: "silent" });
      const pool = createPool({ url, logger });
      const api = await createApi({
        config: parseConfig({ AVATAR_DATA_DIR: dataDir, ...ALLOW_LOOPBACK }),
        pool,
        livekit: { url: "ws://127.0.0.1:9", apiKey: "none", apiSecret: "no-server-no-server-no-server-no-server" },
        logger,
        policies: { webhooks: QUICK },
      });
      const { database, signingKey } = api.services;
      try {
        const at = new Date();
        const account = await createAccount(database, { email: "a@example.test", plan: "pro", createdAt: at });
        const userId = account?.userId ?? "";
        await insertEndpoint(database, {
          userId,
          family: "registered",
          url: receiver.url,
          events: [],
          description: null,
          isActive: true,
          sealedSecret: createTextSeal(signingKey, "webhook-secret").seal(SECRET),
          sealedHeaders: null,
          createdAt: at,
        });
        await database.transaction().execute(async (transaction) => {
          await publishAccountEvent(transaction, { userId, name: "agent.ready", agentCode: "A00AAA0001", at });
          await publishAccountEvent(transaction, { userId, name: "agent.failed", agentCode: "A00AAA0001", at });
        });
        const killAt: Crash["killAt"] = async (isTheMoment) => {
          const child = forkModule(new URL("./delivering-process.ts", import.meta.url), [url, dataDir]);
          t.teardown(() => child.kill("SIGKILL"));
          await waitFor(isTheMoment, "the moment to kill", CHILD_MS);
          const exit = once(child, "exit");
          child.kill("SIGKILL");
          await exit;
        };
        await work({ api, receiver, killAt, pool });
      } finally {
        await api.close();
        await pool.end();
      }
    }),
  );
}

/** After the crash, the event is sent again unchanged, the next one follows, and each is recorded once. */
async function goesOn(t: Test, { api, receiver }: Crash): Promise<void> {
  const { database } = api.services;
  receiver.reply = () => 200;
  await api.start();
  const [lost, repeated, next] = await receiver.untilReceived(3, CHILD_MS);
  t.ok(repeated.raw.equals(lost.raw), "the same body");
  t.equal(repeated.headers["x-service-delivery"], lost.headers["x-service-delivery"], "under the same id");
  checkWebhookSignature(t, repeated, SECRET);
  t.match(next.body, { event: "agent.failed" }, "order is kept");
  const undelivered = () =>
    database.selectFrom("webhook_deliveries").where("is_delivered", "=", false).selectAll().execute();
  await waitFor(async () => (await undelivered()).length === 0, "both are noted");
  t.equal((await database.selectFrom("webhook_attempts").selectAll().execute()).length, 2);
  t.equal(receiver.received.length, 3, "nothing comes once more than it must");
}

t.test("a delivery is sent again if its process is killed with -9 meanwhile, with the same id and body", async (t) => {
  await withCrash(t, async (crash) => {
    const { killAt, receiver } = crash;
    receiver.reply = () => () => undefined;
    await killAt(async () => receiver.received.length > 0);
    await goesOn(t, crash);
  });
});

t.test("a delivery that was accepted is sent again if its process is killed before recording that", async (t) => {
  await withCrash(t, async (crash) => {
    const { killAt, pool, receiver } = crash;
    const holder = await pool.connect();
    // A process that records the attempt waits for this lock.
    await holder.query("begin");
    await holder.query("select from webhook_deliveries for update");
    const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await killAt(async () => receiver.received.length > 0 && ((await pool.query(waiting)).rowCount ?? 0) > 0);
    await holder.query("rollback");
    holder.release();
    t.equal(receiver.received.length, 1);
    await goesOn(t, crash);
  });
});

t.test("deliveries in flight at a stop are finished, and waiting ones are left for the next process", async (t) => {
  await withWebhooks(async ({ api, register, receiver, publish }) => {
    await register();
    const { database } = api.services;
    receiver.reply = ({ body }) =>
      body.data.n === 1 ? (response) => void setTimeout(() => response.writeHead(200).end(), 150) : 200;
    await publish(
      { name: "agent.ready", agentCode: "A00AAA0001", data: { n: 1 } },
      { name: "agent.ready", agentCode: "A00AAA0001", data: { n: 2 } },
    );
    await receiver.untilReceived(1);
    await api.close();
    const rows = await database.selectFrom("webhook_deliveries").selectAll().orderBy("number").execute();
    t.match(rows, [
      { is_delivered: true, attempts: 1, due_at: null },
      { is_delivered: false, attempts: 0, due_at: Date },
    ]);
    t.equal(receiver.received.length, 1);
  });
});

t.test("a delivery with a lost job is still sent, and old deliveries are deleted with their queues", async (t) => {
  await withWebhooks(async ({ api, register, receiver, userId }) => {
    const { id } = await register();
    const { database, pool, logger } = api.services;
    const at = new Date();
    const longAgo = sql<Date>`now() - interval '2 minutes'`;
    const lose = () =>
      database.transaction().execute(async (transaction) => {
        await publishAccountEvent(transaction, { userId, name: "agent.ready", agentCode: "A00AAA0001", at });
        await sql`delete from graphile_worker._private_jobs`.execute(transaction);
        await transaction
          .updateTable("webhook_deliveries")
          .set({ due_at: longAgo })
          .where("due_at", "is not", null)
          .execute();
      });
    await lose();
    await wakeStrandedLanes({ database });
    await receiver.untilReceived(1);
    await waitFor(async () => {
      // Others wait meanwhile: the api's recovery queues bakes of samples for later.
      const { rows } = await pool.query("select from graphile_worker._private_jobs where job_queue_id is not null");
      return rows.length === 0;
    }, "the queue is empty");
    await sweepJobQueues(pool, logger);
    t.same((await pool.query("select from graphile_worker._private_job_queues")).rows, []);
    await lose();
    await deleteOldDeliveries(database, new Date(at.getTime() + 1));
    const left = await database.selectFrom("webhook_deliveries").select(["endpoint_id", "is_delivered"]).execute();
    t.same(left, [{ endpoint_id: id, is_delivered: false }], "what still waits is kept");
    t.same(await database.selectFrom("webhook_attempts").selectAll().execute(), []);
  });
});
