// Who may render an avatar in their own browser, and which file they get for it.
import { createHash } from "node:crypto";
import t from "tap";
import { ensureOperatorAccount } from "../../../api/accounts/operator-account.ts";
import type { LocalRendering } from "../../../api/agents/record/agent.ts";
import { noteWorker } from "../../../api/sessions/workers/worker-registry.ts";
import type { ModelFamily } from "../../../shared/models.ts";
import { withLiveKit } from "../../helpers/livekit/with-livekit.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { readDispatch } from "../../helpers/service/control-room-worker.ts";
import { type TestApi, withApi } from "../../helpers/service/with-api.ts";
import { acceptLaunches } from "../../helpers/service/with-sessions.ts";

const TAB = "0123456789abcdef0123456789abcdef";

interface Stage {
  api: TestApi;
  secret: string;
  userId: string;
  mint(fields?: object): Promise<string>;
  start(bearer: string, body?: object): ReturnType<TestApi["call"]>;
  set(localRendering: LocalRendering): Promise<void>;
  dispatchOf(id: string): ReturnType<typeof readDispatch>;
  idOf(roomName: string): Promise<string>;
}

/** Gives `work` an account with the agent nova, and a worker that accepts every launch. */
async function withNova(families: readonly ModelFamily[], work: (stage: Stage) => Promise<void>): Promise<void> {
  await withLiveKit(async (livekit) => {
    await withApi(
      async (api) => {
        const { account, secret } = await api.addAccount({ credits: 1000, plan: "business" });
        const { userId } = account;
        await addAgent(api.services, { userId, code: "nova", families });
        const standIn = acceptLaunches(api, livekit);
        await work({
          api,
          secret,
          userId,
          async mint(fields = { fingerprint: "abc" }) {
            const body = { agent_id: "nova", ...fields };
            return (await api.call("POST", "/v1/embed-tokens/request", { secret, body })).body.data.token;
          },
          start: (bearer, body = {}) => api.call("POST", "/embed/session", { bearer, body }),
          async set(local_rendering) {
            const { status } = await api.call("POST", "/v1/agent/nova", { secret, body: { local_rendering } });
            t.equal(status, 200);
          },
          dispatchOf: (id) => readDispatch(livekit, id),
          async idOf(roomName) {
            const { id } = await api.services.database
              .selectFrom("avatar_sessions")
              .select("id")
              .where("room_name", "=", roomName)
              .where("status", "<>", "ended")
              .executeTakeFirstOrThrow();
            return id;
          },
        });
        await standIn.close();
      },
      { livekit, environment: { AVATAR_TRUST_PROXY: "1" } },
    );
  });
}

t.test(
  "a page that may render gets the agent's file by its token, and its session begins without a stream",
  async (t) => {
    await withNova(["essence-2"], async ({ api, secret, mint, start, dispatchOf, idOf }) => {
      const bearer = await mint();
      const { status, body } = await start(bearer, { render: "local" });
      const file = "essence-2 of nova";
      const sha256 = createHash("sha256").update(file).digest("hex");
      t.match({ status, body }, { status: 200, body: { renderer: "local" } });
      t.same(body.bundle, { url: `${api.baseUrl}/embed/bundle?sha256=${sha256}`, sha256, bytes: file.length });

      const id = await idOf(body.room_name);
      const metadata = await dispatchOf(id);
      t.match(metadata, { viewers_render: true });
      const job = await api.call("GET", `/v1/runtime/sessions/${id}/job`, { bearer: metadata?.runtime_token });
      t.match(job.body, { viewers_may_render: true, viewers_render: true, conversation: true });
      const seen = await api.call("GET", "/v1/agent/nova/sessions", { secret });
      t.match(seen.body.sessions, [{ room_id: body.room_name }], "it is a session like any other");

      const got = await api.call("GET", `/embed/bundle?sha256=${sha256}`, { bearer });
      t.match(got, { status: 200, body: file });
      const { headers } = got;
      t.equal(headers.get("cache-control"), "private, max-age=31536000, immutable");
      t.equal(headers.get("content-length"), String(file.length));
      t.equal(headers.get("access-control-allow-origin"), "*");
      const etag = headers.get("etag") ?? "";
      const known = await api.call("GET", `/embed/bundle?sha256=${sha256}`, {
        bearer,
        headers: { "if-none-match": etag },
      });
      t.match(known, { status: 304, body: "" });
    });
  },
);

t.test(
  "the owner decides: by default for named visitors, for shared tokens if allowed, for no one if forbidden",
  async (t) => {
    await withNova(["essence-2"], async ({ api, mint, start, set }) => {
      const { sha256 } = (await start(await mint(), { render: "local" })).body.bundle;
      const cases: [LocalRendering, "named" | "shared", boolean][] = [
        ["default", "named", true],
        ["default", "shared", false],
        ["allowed", "named", true],
        ["allowed", "shared", true],
        ["forbidden", "named", false],
        ["forbidden", "shared", false],
      ];
      for (const [setting, kind, isAllowed] of cases) {
        await set(setting);
        for (const render of ["local", "auto", "stream"]) {
          const what = `${setting}, ${kind}, ${render}`;
          const bearer = await mint(kind === "named" ? { fingerprint: what } : { shared: true });
          const { status, body } = await start(bearer, {
            render,
            tab_id: createHash("sha256").update(what).digest("hex"),
          });
          t.equal(status, 200, what);
          t.equal(body.renderer, isAllowed && render !== "stream" ? "local" : "stream", what);
          t.match(body.bundle, isAllowed ? { sha256 } : null, what);
          const { body: agent } = await api.call("GET", `/embed/agent?render=${render}`, { bearer });
          t.same(agent.bundle, render === "stream" ? null : body.bundle, `known before the session: ${what}`);
          const got = await api.call("GET", `/embed/bundle?sha256=${sha256}`, { bearer });
          t.equal(got.status, isAllowed ? 200 : 403, what);
          if (!isAllowed) t.match(got.body.error, { code: "FORBIDDEN", message: /owner/ });
        }
      }
    });
  },
);

t.test("short links and the demo are shared, so their agent must allow it", async (t) => {
  await withNova(["essence-2"], async ({ api, secret, start, set }) => {
    const made = await api.call("POST", "/v1/embed-links", { secret, body: { agent_id: "nova" } });
    const visit = await fetch(made.body.data.url, { redirect: "manual" });
    const token = visit.headers.get("location")?.split("#token=")[1] ?? "";
    t.match((await start(token, { render: "local", tab_id: TAB })).body, { renderer: "stream", bundle: null });
    await set("allowed");
    const tab_id = TAB.split("").reverse().join("");
    t.match((await start(token, { render: "local", tab_id })).body, { renderer: "local" });

    const { userId } = await ensureOperatorAccount({
      database: api.services.database,
      secret: "an operator secret of the test",
      now: new Date(),
    });
    await addAgent(api.services, { userId, code: "demo" });
    const demoToken = async () =>
      (await fetch(`${api.baseUrl}/demo`, { redirect: "manual" })).headers.get("location")?.split("#token=")[1] ?? "";
    t.match((await start(await demoToken(), { render: "auto" })).body, { renderer: "stream", bundle: null });
    const { database } = api.services;
    await database.updateTable("agents").set({ local_rendering: "allowed" }).where("code", "=", "demo").execute();
    t.match((await start(await demoToken(), { render: "auto" })).body, { renderer: "local", bundle: {} });
  });
});

t.test("an unknown choice means the stream, and so does a missing one", async (t) => {
  await withNova(["essence-2"], async ({ mint, start }) => {
    for (const render of [undefined, null, "", "LOCAL", "x".repeat(9000), 7, {}, ["local"]]) {
      const bearer = await mint({ fingerprint: "abc" });
      const { status, body } = await start(bearer, { render });
      t.match({ status, body }, { status: 200, body: { renderer: "stream" } }, JSON.stringify(render)?.slice(0, 20));
    }
  });
});

t.test("models without a file that shows what the stream shows are streamed, and no error", async (t) => {
  const families: ModelFamily[] = ["essence-2", "essence-2-quality", "expression-2"];
  await withNova(families, async ({ api, mint, start }) => {
    const localOf = async (model: string | undefined) => {
      const bearer = await mint({ fingerprint: "abc", model });
      const { status, body } = await start(bearer, { render: "local" });
      const { body: agent } = await api.call("GET", "/embed/agent?render=auto", { bearer });
      t.same(agent.bundle, body.bundle, "known before the session");
      return { status, renderer: body.renderer, sha256: body.bundle?.sha256 ?? null };
    };
    const own = await localOf(undefined);
    t.match(own, { status: 200, renderer: "local", sha256: String });
    for (const model of ["essence-2-cpu", "expression-2-cpu", "essence-2-quality", "expression-1"]) {
      t.same(await localOf(model), { status: 200, renderer: "stream", sha256: null }, model);
    }
    t.same(await localOf("essence-2-light"), own, "it is shown from the file of essence-2 until it has its own");
    const other = await localOf("expression-2");
    t.match(other, { status: 200, renderer: "local", sha256: String });
    t.not(other.sha256, own.sha256);

    const bearer = await mint({ fingerprint: "abc", model: "essence-2" });
    const bundle = (sha256: string | null) => api.call("GET", `/embed/bundle?sha256=${sha256}`, { bearer });
    t.equal((await bundle(own.sha256)).status, 200);
    t.equal((await bundle(other.sha256)).status, 404, "a token for one model is good for its file alone");
  });
});

t.test("a token opens no file of another agent or account, and nothing without being valid", async (t) => {
  await withNova(["essence-2"], async ({ api, userId, secret, mint, start }) => {
    await addAgent(api.services, { userId, code: "vega" });
    const digest = (text: string) => createHash("sha256").update(text).digest("hex");
    const bearer = await mint();
    await start(bearer, { render: "local" });
    const get = (query: string, token: string | undefined = bearer) =>
      api.call("GET", `/embed/bundle${query}`, { bearer: token });
    const other = await get(`?sha256=${digest("essence-2 of vega")}`);
    t.match(other, { status: 404, body: { error: { code: "NOT_FOUND", message: /no such file/ } } });
    for (const bad of ["", "?sha256=", "?sha256=../../etc", `?sha256=${"A".repeat(64)}`, `?sha256=${"0".repeat(65)}`]) {
      t.equal((await get(bad)).status, 400, bad);
    }
    const good = `?sha256=${digest("essence-2 of nova")}`;
    for (const refused of ["x", secret]) t.equal((await get(good, refused)).status, 401);
    t.equal((await api.call("GET", `/embed/bundle${good}`)).status, 401);
    const tries = await Promise.all(Array.from({ length: 21 }, () => get(good)));
    t.match(
      tries.map(({ status }) => status),
      /429/,
      "a token gets its file a few times a minute",
    );
    const late = await mint({ fingerprint: "def" });
    await api.call("DELETE", "/v1/agent/nova", { secret });
    t.equal((await get(good, late)).status, 404, "the file goes with its agent");
  });
});

t.test("one network cannot use up the file's requests of all visitors of a shared token", async (t) => {
  await withNova(["essence-2"], async ({ api, mint, start, set }) => {
    await set("allowed");
    const bearer = await mint({ shared: true });
    const { sha256 } = (await start(bearer, { render: "local", tab_id: TAB })).body.bundle;
    api.clock.hold();
    const get = (ip: string) =>
      api.call("GET", `/embed/bundle?sha256=${sha256}`, { bearer, headers: { "x-forwarded-for": ip } });
    const statuses = (await Promise.all(Array.from({ length: 65 }, () => get("192.0.2.1")))).map(
      ({ status }) => status,
    );
    t.equal(statuses.filter((status) => status === 200).length, 60);
    t.match((await get("192.0.2.1")).body.error, { code: "RATE_LIMITED", message: /One network/ });
    t.equal((await get("192.0.2.2")).status, 200);
  });
});

t.test("only the owner changes who may render, and only to a known value", async (t) => {
  await withNova(["essence-2"], async ({ api, secret, mint, start, set }) => {
    const read = async () => (await api.call("GET", "/v1/agent/nova", { secret })).body.data.local_rendering;
    t.equal(await read(), "default");
    await set("forbidden");
    t.equal(await read(), "forbidden");
    for (const bad of ["", "no", "ALLOWED", 1, {}, ["allowed"]]) {
      const { status, body } = await api.call("POST", "/v1/agent/nova", { secret, body: { local_rendering: bad } });
      t.match({ status, body }, { status: 400, body: { error: { code: "VALIDATION_ERROR" } } }, JSON.stringify(bad));
    }
    const stranger = await api.addAccount({ plan: "business" });
    const change = { secret: stranger.secret, body: { local_rendering: "allowed" } };
    t.equal((await api.call("POST", "/v1/agent/nova", change)).status, 404);
    const visitor = await mint();
    const byVisitor = { bearer: visitor, body: { local_rendering: "allowed" } };
    t.equal((await api.call("POST", "/v1/agent/nova", byVisitor)).status, 401, "a visitor cannot");
    await start(visitor, { render: "local", local_rendering: "allowed" });
    t.equal(await read(), "forbidden");
    t.equal((await api.call("POST", "/v1/agent/nova", { secret, body: { local_rendering: null } })).status, 400);
    t.equal(await read(), "forbidden", "null changes nothing");
  });
});

t.test("a page that is loaded again finds its session, also if another side is to render now", async (t) => {
  await withNova(["essence-2"], async ({ api, secret, mint, start, set, idOf }) => {
    const { database } = api.services;
    const decided = async (id: string) =>
      database
        .selectFrom("avatar_sessions")
        .select(["viewers_may_render", "viewers_render"])
        .where("id", "=", id)
        .executeTakeFirstOrThrow();

    const light = await mint({ fingerprint: "light" });
    const first = await start(light, { render: "local" });
    const id = await idOf(first.body.room_name);
    const again = await start(light, { render: "stream" });
    t.equal(await idOf(again.body.room_name), id, "the same session");
    t.match(again.body, { renderer: "stream", bundle: {} }, "the page asks its worker for video, over the room");
    t.same(await decided(id), { viewers_may_render: true, viewers_render: true }, "what was decided stays");
    t.match((await start(light, { render: "auto" })).body, { renderer: "local" });

    const streamed = await mint({ fingerprint: "streamed" });
    const stream = await start(streamed, {});
    t.match(stream.body, { renderer: "stream", bundle: {} });
    const local = await start(streamed, { render: "local" });
    t.equal(local.body.room_name, stream.body.room_name);
    t.match(local.body, { renderer: "local", bundle: { sha256: String } });
    const streamId = await idOf(local.body.room_name);
    t.same(await decided(streamId), { viewers_may_render: true, viewers_render: false });

    await set("forbidden");
    t.match(
      (await start(light, { render: "local" })).body,
      { renderer: "stream", bundle: null },
      "no file from now on",
    );
    t.same(await decided(id), { viewers_may_render: true, viewers_render: true });
    const refused = await mint({ fingerprint: "refused" });
    const begun = await start(refused, { render: "local" });
    await set("allowed");
    t.match((await start(refused, { render: "local" })).body, { renderer: "stream", bundle: null }, "as it was begun");
    await api.call("POST", `/v1/runtime-sessions/${await idOf(begun.body.room_name)}/end`, { secret });
    t.match((await start(refused, { render: "local" })).body, { renderer: "local" }, "the next one may");
  });
});

t.test("a session that its viewers render is a conversation, and takes a slot of its account's plan", async (t) => {
  await withNova(["essence-2"], async ({ api, userId, secret, mint, start }) => {
    await api.services.database
      .updateTable("accounts")
      .set({ plan: "creator" })
      .where("user_id", "=", userId)
      .execute();
    const begin = async (fingerprint: string) => start(await mint({ fingerprint }), { render: "local" });
    for (const visitor of ["a", "b", "c"]) t.match((await begin(visitor)).body, { renderer: "local" });
    t.match(await begin("d"), {
      status: 403,
      body: { error: { code: "CONCURRENCY_LIMIT_REACHED", message: /3\/3 are running/ } },
    });
    const kinds = async (kind: string) =>
      (await api.call("GET", `/v2/${userId}/runtime-sessions?kind=${kind}`, { secret })).body.data.sessions.length;
    t.equal(await kinds("conversations"), 3);
    t.equal(await kinds("self_hosted"), 0);
  });
});

t.test("where no worker can stream, a page that renders is admitted", async (t) => {
  await withNova(["essence-2"], async ({ api, mint, start }) => {
    const { database, now } = api.services;
    const report = { worker_id: crypto.randomUUID(), providers: ["cpu" as const], active_sessions: 0, max_sessions: 0 };
    await noteWorker(database, { ...report, max_light_sessions: 1 }, new Date(now()));
    t.match(await start(await mint({ fingerprint: "one" }), { render: "auto" }), {
      status: 200,
      body: { renderer: "local" },
    });
    const streamed = await start(await mint({ fingerprint: "two" }), { render: "stream" });
    t.match(streamed, { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE" } } });
    const another = await start(await mint({ fingerprint: "three" }), { render: "local" });
    t.equal(another.status, 503, "nor is there a slot for another that renders");
  });
});
