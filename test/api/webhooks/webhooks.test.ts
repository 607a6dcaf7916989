// Webhooks from registration to the last retry: a real receiver, a real database, the real job queue.
import type { ServerResponse } from "node:http";
import t from "tap";
import { failAgent } from "../../../api/agents/creation/creation-job.ts";
import { createSendSlots } from "../../../api/webhooks/delivery/send-slots.ts";
import { publishAccountEvent } from "../../../api/webhooks/publish-event.ts";
import { DELIVERY_POLICIES } from "../../../api/webhooks/webhook-endpoint.ts";
import { withWebhookReceiver } from "../../helpers/servers/with-webhook-receiver.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { checkWebhookSignature } from "../../helpers/service/check-webhook-signature.ts";
import { withApi } from "../../helpers/service/with-api.ts";
import { ALLOW_LOOPBACK, QUICK, withWebhooks } from "../../helpers/service/with-webhooks.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const ENVELOPE_404 = { status: 404, body: { error: { code: "NOT_FOUND" } } };
/** A lane that waits for its delay, and not for a slot, is taken up after this. */
const STRANDED_MS = 60_000;
const REFUSED = { status: 400, body: { error: { code: "VALIDATION_ERROR" } } };

t.test("the contract's limits and number of retries", async (t) => {
  t.match(DELIVERY_POLICIES.registered, { timeoutMs: 10_000, retryDelaysMs: [Number, Number, Number] });
  t.same(DELIVERY_POLICIES.session, { timeoutMs: 30_000, retryDelaysMs: [1_000, 5_000, 30_000] });
});

t.test(
  "an endpoint is registered with a secret that is shown once; only its owner lists, reads and deletes it",
  async (t) => {
    await withWebhooks(async ({ api, call, register, receiver, publish }) => {
      const made = await call("POST", "/v1/webhooks", { url: receiver.url, events: ["agent.ready", "agent.ready"] });
      t.match(made, {
        status: 200,
        body: {
          success: true,
          data: {
            id: /^[0-9a-f-]{36}$/,
            url: receiver.url,
            events: ["agent.ready"],
            active: true,
            secret: /^whsec_\w{64}$/,
          },
        },
      });
      const { id, secret } = made.body.data;
      const { id: other } = await register({ description: "all" });
      const listed = await call("GET", "/v1/webhooks");
      t.match(listed.body, { success: true, data: [{ id }, { id: other, events: [], description: "all" }] });
      t.match((await call("GET", `/v1/webhooks/${id}`)).body, { success: true, data: { id, description: null } });
      const rows = await api.services.database.selectFrom("webhook_endpoints").selectAll().execute();
      t.notMatch(
        JSON.stringify([listed.body, rows.map((row) => row.sealed_secret.toString("latin1"))]),
        secret.slice(6),
      );

      const stranger = await api.addAccount();
      for (const [method, path] of [
        ["GET", ""],
        ["PATCH", ""],
        ["DELETE", ""],
        ["POST", "/test"],
        ["GET", "/deliveries"],
      ]) {
        t.match(await api.call(method, `/v1/webhooks/${id}${path}`, { secret: stranger.secret }), ENVELOPE_404);
        t.match(await call(method, `/v1/webhooks/not-an-id${path}`), ENVELOPE_404);
      }
      t.match((await call("DELETE", `/v1/webhooks/${id}`)).body, { success: true, deleted: true });
      t.match(await call("DELETE", `/v1/webhooks/${id}`), ENVELOPE_404);
      await publish({ name: "agent.ready", agentCode: "A00ABC0000" });
      await receiver.untilReceived(1);
      t.equal(
        (await call("GET", `/v1/webhooks/${other}/deliveries`)).body.data.length,
        1,
        "a deleted one hears nothing",
      );
    });
  },
);

t.test(
  "only HTTPS URLs of public hosts are accepted; the development setting also allows HTTP on this machine",
  async (t) => {
    const refusedAlways = [
      "http://hooks.example/x",
      "ftp://hooks.example",
      "nonsense",
      "https://a:b@hooks.example/",
      "http://10.0.0.1/",
    ];
    const refusedInEarnest = [
      "http://127.0.0.1:9/",
      "https://127.0.0.1/",
      "https://localhost/",
      "https://[::1]/",
      "https://10.0.0.1/",
    ];
    await withApi(async (api) => {
      const { secret } = await api.addAccount();
      const register = (body: object) => api.call("POST", "/v1/webhooks", { secret, body });
      for (const url of [...refusedAlways, ...refusedInEarnest]) t.match(await register({ url }), REFUSED, url);
      for (const url of ["https://127.0.0.1/", "http://localhost:9/"]) {
        const named = { body: { error: { message: /AVATAR_ALLOW_PRIVATE_ADDRESSES=1/ } } };
        t.match(await register({ url }), named, "the refusal names the setting");
      }
      t.match(await register({ url: "https://203.0.113.9/x", events: ["agent.sold"] }), REFUSED);
      t.match(await register({}), { status: 400, body: { error: { code: "MISSING_PARAM" } } });
      t.match(await register({ url: "https://hooks.invalid/x" }), { status: 200 }, "a name may come to exist");
    });
    await withApi(
      async (api) => {
        const { secret } = await api.addAccount();
        const register = (url: string) => api.call("POST", "/v1/webhooks", { secret, body: { url } });
        for (const url of refusedAlways) t.match(await register(url), REFUSED, url);
        const pinged = { url: "https://hooks.invalid/x", events: ["ping"] };
        t.match(await api.call("POST", "/v1/webhooks", { secret, body: pinged }), { status: 200 }, "ping may be named");
        for (const url of ["http://localhost:9/x", "http://[::1]:9/", "https://127.0.0.1/"]) {
          t.match(await register(url), { status: 200 }, url);
        }
      },
      { environment: ALLOW_LOOPBACK },
    );
  },
);

t.test(
  "a paused endpoint is sent nothing but pings, until it is resumed; its events and note can be changed",
  async (t) => {
    await withWebhooks(async ({ call, register, receiver, publish, deliveriesOf }) => {
      const { id } = await register({ events: ["agent.ready"], description: "shop" });
      const change = (body: unknown) => call("PATCH", `/v1/webhooks/${id}`, body);
      const paused = { active: false, events: ["agent.ready"], description: "shop" };
      t.match(await change({ active: false }), { status: 200, body: { success: true, data: paused } });
      await publish({ name: "agent.ready", agentCode: "A00ABC0000" });
      t.same(await deliveriesOf(id), [], "what happens meanwhile is never sent");
      t.match((await call("POST", `/v1/webhooks/${id}/test`)).body.data, { delivered: true });
      const changed = { active: true, events: ["agent.failed"], description: null };
      t.match((await change({ ...changed, events: ["agent.failed", "agent.failed"] })).body.data, changed);
      await publish(
        { name: "agent.ready", agentCode: "A00ABC0000" },
        { name: "agent.failed", agentCode: "A00ABC0000" },
      );
      await receiver.untilReceived(2);
      t.equal(receiver.received[1].body.event, "agent.failed");
      for (const body of [{ events: ["agent.sold"] }, { active: "no" }, { description: "x".repeat(1_001) }]) {
        t.match(await change(body), REFUSED);
      }
    });
  },
);

t.test("a ping is sent once, at once, and its outcome is returned and logged", async (t) => {
  await withWebhooks(async ({ call, register, receiver, deliveriesOf }) => {
    const { id, secret } = await register({ events: ["agent.failed"] });
    t.same((await call("POST", `/v1/webhooks/${id}/test`)).body, {
      success: true,
      data: { delivered: true, status_code: 200, attempts: 1 },
    });
    const [ping] = receiver.received;
    t.match(ping.body, { id: /^evt_/, event: "ping", created: Number, data: { webhook_id: id } });
    t.equal(ping.headers["x-service-event"], "ping");
    checkWebhookSignature(t, ping, secret);
    receiver.reply = () => 404;
    t.match((await call("POST", `/v1/webhooks/${id}/test`)).body.data, { delivered: false, status_code: 404 });
    receiver.reply = () => (response) => response.destroy();
    t.match((await call("POST", `/v1/webhooks/${id}/test`)).body.data, { delivered: false, status_code: null });
    t.match(await deliveriesOf(id), [
      {
        event_type: "ping",
        is_test: true,
        status_code: null,
        attempts: 1,
        delivered: false,
        next_attempt_at: null,
        body: /"event":"ping"/,
        attempt_log: [{ error: /reached/ }],
      },
      { status_code: 404, delivered: false },
      { status_code: 200, delivered: true },
    ]);
    t.equal(receiver.received.length, 3);
  });
});

t.test(
  "an agent that becomes ready or fails is announced to subscribers in the transaction of the change",
  async (t) => {
    await withWebhooks(async ({ api, call, register, receiver, userId }) => {
      const { database } = api.services;
      const all = await register();
      await register({ url: `${receiver.url}/failed`, events: ["agent.failed"] });
      const made = await call("POST", "/v1/agent/generate", { prompt: "You are Nova.", model: "essence-1" });
      const code: string = made.body.agent_id;
      const [ready] = await receiver.untilReceived(1, 180_000);
      t.equal((await call("GET", `/v1/agent/status/${code}`)).body.data.status, "ready");
      t.same(ready.body.data, { agent_id: code, code });
      t.match(ready.body, { id: ready.headers["x-service-delivery"], event: "agent.ready", created: Number });
      t.match(ready.headers, { "content-type": "application/json", "x-service-event": "agent.ready" });
      t.match(ready.headers["x-service-delivery"], /^evt_[0-9a-f-]{36}$/);
      checkWebhookSignature(t, ready, all.secret);

      const doomed = await addAgent(api.services, { userId });
      const { id } = await database
        .updateTable("agents")
        .set({ status: "generating" })
        .where("code", "=", doomed)
        .returning("id")
        .executeTakeFirstOrThrow();
      await Promise.all([1, 2].map(() => failAgent(api.agents, id, 1, "lip_sync", "no face was found")));
      await receiver.untilReceived(3);
      const failed = receiver.received.slice(1).sort((left, right) => left.path.localeCompare(right.path));
      t.match(failed, [{ path: "/hook" }, { path: "/hook/failed" }]);
      for (const { body } of failed) {
        t.match(body, { event: "agent.failed", data: { agent_id: doomed, error: /lip sync: no face was found$/ } });
      }
      t.not(failed[0].body.id, failed[1].body.id, "each endpoint has deliveries of its own");

      const rolledBack = database.transaction().execute(async (transaction) => {
        await publishAccountEvent(transaction, { userId, name: "agent.ready", agentCode: code, at: new Date() });
        throw new Error("rolled back");
      });
      await t.rejects(rolledBack, /rolled back/);
      const { count } = await database
        .selectFrom("webhook_deliveries")
        .select((fields) => fields.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      t.equal(count, 3);
    });
  },
);

t.test(
  "a failed delivery is attempted four times in all, signed each time, and delays only events of its agent",
  async (t) => {
    await withWebhooks(async ({ register, receiver, publish, deliveriesOf }) => {
      const { id, secret } = await register();
      receiver.reply = ({ body }) => (body.data.n === 1 ? 500 : 204);
      await publish(
        { name: "agent.failed", agentCode: "A00AAA0001", data: { n: 1 } },
        { name: "agent.ready", agentCode: "A00AAA0001", data: { n: 2 } },
        { name: "agent.ready", agentCode: "A00AAA0002", data: { n: 3 } },
      );
      await receiver.untilReceived(6);
      const first = receiver.received.filter(({ body }) => body.data.n === 1);
      t.equal(first.length, 4);
      t.equal(new Set(first.map(({ headers }) => headers["x-service-delivery"])).size, 1, "one delivery, one id");
      for (const attempt of first) {
        t.ok(attempt.raw.equals(first[0].raw), "the same bytes");
        checkWebhookSignature(t, attempt, secret);
      }
      for (const [index, delayMs] of QUICK.registered.retryDelaysMs.entries()) {
        const gapMs = first[index + 1].atMs - first[index].atMs;
        t.ok(gapMs >= delayMs && gapMs < delayMs + 3_000, `retry ${index + 1} after ${Math.round(gapMs)} ms`);
      }
      const order = receiver.received.map(({ body }) => body.data.n);
      t.equal(order.at(-1), 2, "what follows waits until the first is given up");
      t.ok(order.indexOf(3) < order.lastIndexOf(1), "another agent's event does not");
      const log = await waitFor(async () => {
        const deliveries = await deliveriesOf(id);
        return deliveries.every(({ attempts, delivered }) => delivered || attempts === 4) && deliveries;
      }, "all are settled");
      t.match(
        log.find(({ attempts }) => attempts === 4),
        {
          event_type: "agent.failed",
          status_code: 500,
          delivered: false,
          attempt_log: [1, 2, 3, 4].map((attempt) => ({ attempt, status_code: 500, error: null })),
        },
      );
      t.equal(
        log.filter(({ delivered, attempts, status_code }) => delivered && attempts === 1 && status_code === 204).length,
        2,
      );
    });
  },
);

t.test(
  "an endpoint that hangs, disconnects or redirects counts as failed; one that recovers gets the event",
  async (t) => {
    await withWebhooks(async ({ register, receiver, publish, deliveriesOf }) => {
      const { id } = await register();
      const redirected = new URL("/elsewhere", receiver.url).href;
      const replies = [
        () => undefined,
        (response: ServerResponse) => response.destroy(),
        (response: ServerResponse) => response.writeHead(307, { location: redirected }).end(),
        (response: ServerResponse) => response.writeHead(201).end(),
      ];
      receiver.reply = () => replies[receiver.received.length - 1];
      await publish({ name: "video.completed", agentCode: "A00AAA0001" });
      const log = await waitFor(async () => {
        const [delivery] = await deliveriesOf(id);
        return delivery.delivered && delivery;
      }, "it is delivered");
      t.match(log, {
        attempts: 4,
        status_code: 201,
        attempt_log: [
          { status_code: null, error: /within 1.5 s/ },
          { status_code: null, error: /could not be reached/ },
          { status_code: 307 },
          { status_code: 201, error: null },
        ],
      });
      t.same(new Set(receiver.received.map(({ path }) => path)), new Set(["/hook"]), "no redirect is followed");
    });
  },
);

t.test("a host name that resolves to a private address after registration is refused at delivery", async (t) => {
  await withWebhookReceiver((receiver) =>
    withApi(
      async (api) => {
        const { account, secret } = await api.addAccount();
        const { database } = api.services;
        const body = { url: "https://hooks.invalid/x" };
        const { id } = (await api.call("POST", "/v1/webhooks", { secret, body })).body.data;
        const url = receiver.url.replace("127.0.0.1", "localhost");
        await database.updateTable("webhook_endpoints").set({ url }).where("id", "=", id).execute();
        const ping = await api.call("POST", `/v1/webhooks/${id}/test`, { secret });
        t.match(ping.body.data, { delivered: false, status_code: null });
        await database.transaction().execute((transaction) =>
          publishAccountEvent(transaction, {
            userId: account.userId,
            name: "agent.ready",
            agentCode: "A",
            at: new Date(),
          }),
        );
        const [delivery] = await waitFor(async () => {
          const { data } = (await api.call("GET", `/v1/webhooks/${id}/deliveries`, { secret })).body;
          return data[0].attempts === 4 && data;
        }, "it is given up");
        t.match(
          delivery.attempt_log,
          [1, 2, 3, 4].map(() => ({ status_code: null, error: /private address/ })),
        );
        t.equal(receiver.received.length, 0);
      },
      { policies: { webhooks: QUICK } },
    ),
  );
});

t.test("endpoints that never answer do not delay the deliveries of other accounts", async (t) => {
  await withWebhooks(async ({ api, register, receiver, publish }) => {
    const tarpits = Array.from({ length: 5 }, (_, index) => `${receiver.url}/tarpit-${index}`);
    for (const url of tarpits) await register({ url, events: ["video.failed"] });
    let held = 0;
    receiver.reply = ({ path }) => (path.includes("tarpit") ? () => void held++ : 200);
    const agents = Array.from({ length: 10 }, (_, index) => `A00AAA00${index + 10}`);
    await publish(...agents.map((agentCode) => ({ name: "video.failed" as const, agentCode })));
    await waitFor(() => held === 4, "the account has its share");
    const other = await api.addAccount();
    await api.call("POST", "/v1/webhooks", { secret: other.secret, body: { url: `${receiver.url}/other` } });
    const { userId } = other.account;
    const event = { userId, name: "agent.ready", agentCode: "A00AAA0001", at: new Date() } as const;
    await api.services.database.transaction().execute((transaction) => publishAccountEvent(transaction, event));
    await waitFor(() => receiver.received.some(({ path }) => path.endsWith("other")), "the other account is served");
    t.equal(held, 4, "nothing timed out meanwhile");
  }, DELIVERY_POLICIES);
});

t.test("slots are limited per endpoint, host and account, and for all slow endpoints together", async (t) => {
  const slots = createSendSlots({ perEndpoint: 2, perHost: 3, perAccount: 4, slow: 1, slowFromMs: 100 });
  const releases: (() => void)[] = [];
  const send = async (endpointId: string, host: string, userId: string, durationMs = 0): Promise<boolean> => {
    let isRunning = false;
    const used = slots.use({ endpointId, host, userId }, () => {
      isRunning = true;
      return new Promise((resolve) => releases.push(() => resolve(durationMs)));
    });
    return isRunning || used;
  };
  const releaseAll = async () => {
    for (const release of releases.splice(0)) release();
    await new Promise((resolve) => setImmediate(resolve));
  };
  t.same([await send("a", "h", "u"), await send("a", "h", "u"), await send("a", "h", "u")], [true, true, false]);
  t.same([await send("b", "h", "v"), await send("c", "h", "w")], [true, false], "the host is full");
  t.same([await send("d", "i", "u"), await send("e", "j", "u")], [true, true]);
  t.equal(await send("f", "k", "u"), false, "the account is full");
  await releaseAll();
  t.same([await send("a", "h", "u", 100), await send("b", "i", "v", 100)], [true, true], "all are free again");
  await releaseAll();
  t.same([await send("a", "h", "u"), await send("b", "i", "v")], [true, false], "slow ones share a slot");
  t.equal(await send("c", "j", "w"), true, "and others do not wait for it");
  await releaseAll();
  t.same([await send("a", "h", "u"), await send("b", "i", "v")], [true, true], "one that answered is no longer slow");
});

t.test("a slow endpoint does not delay others", async (t) => {
  await withWebhooks(async ({ register, receiver, publish }) => {
    await register({ url: `${receiver.url}/slow`, events: ["video.failed"] });
    await register({ url: `${receiver.url}/quick`, events: ["agent.ready"] });
    const held: (() => void)[] = [];
    receiver.reply = ({ path }) =>
      path.endsWith("slow") ? (response) => void held.push(() => response.writeHead(200).end()) : 200;
    const agents = Array.from({ length: 10 }, (_, index) => `A00AAA00${index + 10}`);
    await publish(...agents.map((agentCode) => ({ name: "video.failed" as const, agentCode })));
    await waitFor(() => held.length === 3, "the slow endpoint has its share");
    await publish({ name: "agent.ready", agentCode: agents[0] });
    await waitFor(() => receiver.received.some(({ path }) => path.endsWith("quick")), "the quick one is served");
    t.equal(held.length, 3);
    receiver.reply = () => 200;
    for (const release of held) release();
    await receiver.untilReceived(agents.length + 1, 30_000);
    t.equal(new Set(receiver.received.map(({ body }) => body.id)).size, agents.length + 1, "each came once");
  }, DELIVERY_POLICIES);
});

t.test("lanes without a free slot do not keep the job table busy, and go on when a slot is free", async (t) => {
  const slow = { timeoutMs: 60_000, retryDelaysMs: [] };
  await withWebhooks(
    async ({ api, receiver, register, publish }) => {
      const held: ServerResponse[] = [];
      receiver.reply = () => (response) => void held.push(response);
      for (let n = 0; n < 10; n++) await register();
      const lanes = Array.from({ length: 12 }, (_, n) => ({ name: "agent.ready" as const, agentCode: `A00LANE${n}` }));
      await publish(...lanes);
      await receiver.untilReceived(4);
      const runs = async () => {
        const { body } = await api.call("GET", "/metrics");
        const counts = [...String(body).matchAll(/avatar_job_seconds_count{.*kind="deliver-webhooks".*} (\d+)/g)];
        return counts.reduce((sum, [, count]) => sum + Number(count), 0);
      };
      const sent = 10 * lanes.length;
      await waitFor(async () => (await runs()) >= sent - 4, "each lane has looked for a slot");
      const before = await runs();
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      t.ok((await runs()) - before <= 2, `${(await runs()) - before} runs in 5 s`);
      t.equal(receiver.received.length, 4, "four sends of an account at a time");

      receiver.reply = () => 200;
      const startMs = performance.now();
      for (const response of held) response.writeHead(200).end();
      await receiver.untilReceived(sent, STRANDED_MS);
      t.ok(
        performance.now() - startMs < STRANDED_MS,
        "all of them, one after the other, without waiting for their delay",
      );
    },
    { registered: slow, session: slow },
  );
});
