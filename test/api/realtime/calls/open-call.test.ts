// What the opening of a realtime call needs.
import { randomUUID } from "node:crypto";
import t from "tap";
import { mintWorkerToken } from "../../../../shared/worker-token.ts";
import {
  addRealtimeWorker,
  balanceOf,
  RELAY,
  relayOf,
  settled,
  UPSTREAM_ENVIRONMENT,
} from "../../../helpers/service/relay-calls.ts";
import { withIdleApi } from "../../../helpers/service/with-api.ts";

t.test("a call needs a relay's token, a credential, a model, a plan and credits, in this order", async (t) => {
  await withIdleApi(
    async (api) => {
      const { open } = relayOf(api);
      const bearer = await mintWorkerToken(api.services.livekit, { workerId: randomUUID() });
      const stranger = await api.call("POST", "/v1/runtime/realtime/reports", {
        bearer,
        body: { relay_id: RELAY, running: [], ended: [], is_draining: false },
      });
      t.equal(stranger.status, 401, "a worker is no relay");
      const poor = await api.addAccount({ credits: 0 });
      const rich = await api.addAccount({ credits: 100 });
      t.match(await open(null), { status: 401, body: { error: { code: "MISSING_AUTH" } } });
      t.match(await open("wrong"), { status: 401, body: { error: { code: "UNAUTHORIZED" } } });
      t.match(await open(poor.secret, "other"), { status: 400, body: { error: { message: /gpt-realtime-mini/ } } });
      t.match(await open(poor.secret, "big/model"), {
        status: 403,
        body: { error: { code: "PLAN_REQUIRED", upgrade_url: /^http/ } },
      });
      t.match(await open(poor.secret), { status: 402, body: { error: { topup_url: /^http/ } } });
      t.match(await open(rich.secret, "service-realtime"), { status: 503 }, "no worker takes calls");
      const opened = await open(rich.secret);
      t.match(opened, {
        status: 200,
        body: {
          call_id: /^rtc_/,
          model: "gpt-realtime-mini",
          upstream: {
            url: "ws://127.0.0.1:9/v1/realtime?model=gpt-realtime-mini",
            headers: { authorization: "Bearer sk-secret" },
          },
        },
      });
      const caller = { ip: "192.0.2.7", headers: { authorization: `Bearer ${rich.secret}` } };
      t.equal((await open(null, null, { caller })).status, 200, "the secret as Bearer");
      const business = await api.addAccount({ plan: "business", credits: 5 });
      t.match(await open(business.secret, "big/model"), {
        body: { upstream: { url: "wss://cloud.example/v1/realtime?model=large", model: "large" } },
      });
    },
    { environment: UPSTREAM_ENVIRONMENT },
  );
});

t.test(
  "a transcription call is free, bounded by the plan, and leads to our own recogniser whatever its model",
  async (t) => {
    await withIdleApi(
      async (api) => {
        const { open, report } = relayOf(api);
        await addRealtimeWorker(api, 16);
        const { secret } = await api.addAccount({ plan: "creator", credits: 0 });
        const query = { intent: "transcription", agent: "A00AAA0000", mode: "text", voice: "nobody" };
        t.equal((await open(secret)).status, 402, "any other call costs credits");
        const calls: string[] = [];
        for (const model of ["gpt-4o-mini-transcribe", "gpt-realtime-mini", null]) {
          const { status, body } = await open(secret, model, { query });
          t.match({ status, body }, { status: 200, body: { model: "service-realtime" } }, String(model));
          t.equal(body.limit_seconds, undefined);
          const session = JSON.parse(Buffer.from(body.upstream.headers["X-Service-Session"], "base64url").toString());
          t.same(Object.keys(session).sort(), ["mode", "user"], "no agent, no instructions");
          t.equal(session.mode, "transcription");
          calls.push(body.call_id);
        }
        t.match(await open(secret, null, { query }), { status: 503, body: { error: { details: { limit: 3 } } } });
        const running = Object.fromEntries(calls.map((id) => [id, 600]));
        t.match(await report(running), { status: 200, body: { stop: [], limits: [] } });
        await report({}, running);
        await settled(api);
        t.same((await api.call("GET", "/v1/usage", { secret })).body.data, []);
        t.equal(await balanceOf(api, secret), 0);
        t.match(await open(secret, null, { query: { ...query, language: "1" } }), { status: 400 });
      },
      { environment: UPSTREAM_ENVIRONMENT },
    );
  },
);

t.test("transcription calls count for the account's write tier", async (t) => {
  await withIdleApi(async (api) => {
    await addRealtimeWorker(api, 16);
    const { secret } = await api.addAccount({ plan: "creator", credits: 0 });
    // The tier refills with time.
    api.clock.hold();
    const query = { intent: "transcription" };
    const statuses: number[] = [];
    for (let count = 0; count < 61; count++) {
      const caller = { ip: `192.0.2.${count}`, headers: { "api-secret": secret } };
      statuses.push((await relayOf(api).open(null, null, { query, caller })).status);
    }
    t.equal(statuses.filter((status) => status !== 429).length, 60);
    t.equal(statuses.at(-1), 429);
  });
});
