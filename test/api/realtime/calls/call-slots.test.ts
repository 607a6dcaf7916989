// How many realtime calls an account may have open, and what they may spend together.
import t from "tap";
import {
  addRealtimeWorker,
  balanceOf,
  relayOf,
  settled,
  UPSTREAM_ENVIRONMENT,
} from "../../../helpers/service/relay-calls.ts";
import { withIdleApi } from "../../../helpers/service/with-api.ts";

t.test("open calls of an account are bounded by its plan, from their opening on", async (t) => {
  await withIdleApi(
    async (api) => {
      const { open, report } = relayOf(api);
      const { secret } = await api.addAccount({ plan: "creator", credits: 1_000 });
      const other = await api.addAccount({ plan: "creator", credits: 1_000 });
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          open(secret, null, { transport: index % 2 === 0 ? "webrtc" : "websocket" }),
        ),
      );
      const opened = answers.filter(({ status }) => status === 200).map(({ body }): string => body.call_id);
      t.equal(opened.length, 3, "however many are opened at once, and none is connected yet");
      const refused = answers.filter(({ status }) => status !== 200);
      for (const { status, body, headers } of refused) {
        t.match(body, { error: { code: "SERVICE_UNAVAILABLE", message: /3\/3/, details: { limit: 3, running: 3 } } });
        t.equal(status, 503);
        t.match(headers.get("retry-after"), /^\d+$/);
      }
      t.equal((await open(other.secret)).status, 200, "another account is not concerned");
      await report({}, { [opened[0]]: 1 });
      t.equal((await open(secret)).status, 200, "an ended call is free at once");
      t.equal((await open(secret)).status, 503);
      const operator = await api.addAccount({ plan: "custom" });
      const many = await Promise.all(Array.from({ length: 12 }, () => open(operator.secret)));
      t.ok(
        many.every(({ status, body }) => status === 200 && body.limit_seconds === undefined),
        "the operator's own plan",
      );
    },
    { environment: UPSTREAM_ENVIRONMENT },
  );
});

t.test("calls at once share the credits, and spend no more than there are", async (t) => {
  await withIdleApi(
    async (api) => {
      const { open, report } = relayOf(api);
      const { secret } = await api.addAccount({ credits: 3 });
      const answers = await Promise.all(Array.from({ length: 10 }, () => open(secret)));
      const opened = answers.filter(({ status }) => status === 200).map(({ body }) => body);
      t.same(
        opened.map(({ limit_seconds: limit }) => limit).toSorted((a, b) => a - b),
        [6, 9, 18],
      );
      t.equal(answers.filter(({ status }) => status === 503).length, 7, "a credit is left for each open call");
      const ids = opened.map(({ call_id }): string => call_id);
      const told = (seconds: number) => Object.fromEntries(ids.map((id) => [id, seconds]));
      const { body } = await report(told(2));
      t.same(
        body.limits,
        ids.map((call_id) => ({ call_id, seconds: 6 })),
        "what is left, in equal parts",
      );
      t.same(body.stop, []);
      const late = await report({ [ids[0]]: 5.9, [ids[1]]: 5.9, [ids[2]]: 6.2 });
      t.same(
        late.body.stop.map(({ reason }: { reason: string }) => reason),
        ["balance_exhausted", "balance_exhausted", "balance_exhausted"],
      );
      await report({}, told(6));
      await settled(api);
      t.equal(await balanceOf(api, secret), 0);
      const rich = await api.addAccount({ credits: 10_000 });
      t.equal((await open(rich.secret)).body.limit_seconds, undefined, "a call lasts an hour at most anyway");
    },
    { environment: UPSTREAM_ENVIRONMENT },
  );
});

t.test("no account takes more than half of the workers' realtime slots, or of a relay's ports", async (t) => {
  await withIdleApi(
    async (api) => {
      const { open } = relayOf(api);
      await addRealtimeWorker(api, 3);
      await addRealtimeWorker(api, 2);
      const accounts = await Promise.all([1, 2].map(() => api.addAccount({ credits: 1_000 })));
      const openAll = async (secret: string, model: string, more: object) => {
        const answers = await Promise.all(Array.from({ length: 6 }, () => open(secret, model, more)));
        t.ok(answers.every(({ status, headers }) => status === 200 || headers.has("retry-after")));
        return answers.filter(({ status }) => status === 200).length;
      };
      for (const { secret } of accounts) t.equal(await openAll(secret, "service-realtime", {}), 2);
      const offer = { transport: "webrtc", webrtc_ports: 7 };
      for (const { secret } of accounts) t.equal(await openAll(secret, "gpt-realtime-mini", offer), 3);
      t.equal((await open(accounts[0].secret)).status, 200, "others are not scarce");
    },
    { environment: UPSTREAM_ENVIRONMENT },
  );
});
