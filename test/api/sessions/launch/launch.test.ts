// Launching an avatar session over REST: accepted and refused requests, and the state after a refusal.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { workerLoad } from "../../../../agent-worker/capacity/worker-load.ts";
import { WorkerConnection } from "../../../../agent-worker/service/worker-connection.ts";
import { createLaunchLimit, LAUNCH_LIMIT_POLICY } from "../../../../api/sessions/launch/launch-limit.ts";
import { createLogger } from "../../../../program/log.ts";
import { type DispatchMetadata, dispatchMetadataSchema } from "../../../../shared/runtime-api.ts";
import { addAgent } from "../../../helpers/service/add-agent.ts";
import { withApi } from "../../../helpers/service/with-api.ts";
import { acceptLaunches, LAUNCH, mintJoinToken, withSessions } from "../../../helpers/service/with-sessions.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

t.test("an invalid launch is refused with the reason and leaves nothing behind", async (t) => {
  await withSessions({}, async ({ api, secret, agentCode, launch, launchBody }) => {
    const cases: [Record<string, unknown>, number, string, RegExp][] = [
      [{ mode: "tpu" }, 400, "VALIDATION_ERROR", /mode/],
      [{ livekit_url: null }, 400, "VALIDATION_ERROR", /livekit_url/],
      [{ livekit_url: "ftp://x.test" }, 400, "VALIDATION_ERROR", /livekit_url/],
      [{ livekit_url: "not a url" }, 400, "VALIDATION_ERROR", /livekit_url/],
      [{ livekit_url: "wss://user:pw@x.test" }, 400, "VALIDATION_ERROR", /password/],
      [{ livekit_url: "ws://10.0.0.1:7880" }, 400, "VALIDATION_ERROR", /private address/],
      [{ livekit_url: "ws://[::ffff:127.0.0.1]:7880" }, 400, "VALIDATION_ERROR", /private address/],
      [{ livekit_url: "ws://localhost:1" }, 400, "VALIDATION_ERROR", /private address/],
      [{ livekit_token: "garbled" }, 400, "VALIDATION_ERROR", /livekit_token: it is not a JWT/],
      [{ livekit_token: await mintJoinToken("other") }, 400, "VALIDATION_ERROR", /its room differs from room_name/],
      [{ livekit_token: await mintJoinToken("r", { ttl: -60 }) }, 400, "VALIDATION_ERROR", /expired/],
      [{ livekit_token: await mintJoinToken("r", { secret: "x".repeat(40) }) }, 400, "VALIDATION_ERROR", /signature/],
      [{ agent_id: "NOBODY" }, 404, "NOT_FOUND", /^Agent not found for code: NOBODY/],
      [{ agent_id: null }, 400, "VALIDATION_ERROR", /agent_id/],
      [{ model: "gpt" }, 400, "VALIDATION_ERROR", /"gpt".*essence-2/],
      [{ model: "expression-2" }, 409, "MODEL_NOT_GENERATED", /hasn't been generated yet.*2000 credits/],
      [{ model: "essence-2-quality" }, 400, "MODEL_NOT_OFFERED", /essence-2/],
      [{ image: "http://10.1.1.1/x.png", model: "expression-1" }, 400, "VALIDATION_ERROR", /private address/],
      [{ image: "%%%" }, 400, "VALIDATION_ERROR", /image/],
      [{ listen: "loudly" }, 400, "VALIDATION_ERROR", /listen: must be true or false/],
      // An image that could not be used is not fetched.
      [
        { image: "https://nowhere.invalid/x.png", model: "essence-2" },
        400,
        "VALIDATION_ERROR",
        /only with the model expression-1/,
      ],
      [{ image: "https://nowhere.invalid/x.png", agent_id: "NOBODY" }, 404, "NOT_FOUND", /^Agent not found/],
    ];
    for (const [changes, status, code, message] of cases) {
      const answer = await launch("r", changes);
      t.match(answer, { status, body: { error: { code, message } } }, JSON.stringify(changes).slice(0, 60));
      t.notMatch(JSON.stringify(answer.body), /eyJ/, "no token is echoed");
    }
    const sessions = await api.services.database.selectFrom("avatar_sessions").select("id").execute();
    t.same(sessions, []);
    const stranger = await api.addAccount({ credits: 5 });
    const foreign = await api.call("POST", LAUNCH, { secret: stranger.secret, body: await launchBody("r") });
    t.match(foreign, { status: 404, body: { error: { message: `Agent not found for code: ${agentCode}` } } });
    t.equal(
      (await api.call("POST", "/launch", { secret, body: await launchBody("r", { mode: null }) })).status,
      200,
      "/launch needs no mode",
    );
  });
});

t.test("forms start sessions, too, with the secret as Bearer and the older field names", async (t) => {
  await withSessions({}, async ({ api, userId, secret, agentCode, launch, launchBody }) => {
    const { agent_id: _, ...rest } = await launchBody("form-room");
    const fields = { ...(rest as Record<string, string>), avatar_id: agentCode };
    const urlencoded = await api.call("POST", LAUNCH, { bearer: secret, body: new URLSearchParams(fields) });
    t.match(urlencoded, { status: 200, body: { agent_id: agentCode } });
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const multipart = await api.call("POST", "/launch", { bearer: secret, body: form });
    t.equal(multipart.body.session_id, urlencoded.body.session_id);
    const shorthand = { ...(await launchBody("shorthand-room")), model: "expression" };
    t.match(
      await api.call("POST", LAUNCH, { secret, body: shorthand }),
      { status: 200, body: { model: "expression-1" } },
      "a shorthand is answered with the model it means",
    );
    const both = await addAgent(api.services, { userId, families: ["expression-2", "essence-1"] });
    for (const [mode, agent, model] of [
      ["cpu", both, "essence-1"],
      ["gpu", both, "expression-2"],
      ["cpu", agentCode, "essence-2"],
    ]) {
      const launched = await launch(`${mode}-${agent}`, { mode, agent_id: agent, user_id: "visitor-9" });
      t.equal(launched.body.model, model, `without a model, mode ${mode} and the agent decide`);
    }
    const listed = await api.call("GET", `/v2/${userId}/runtime-sessions?limit=1`, { secret });
    t.match(listed.body.data.sessions, [{ end_user_id: "visitor-9" }]);
    t.match(await api.call("POST", LAUNCH, { bearer: secret, body: fields }), {
      status: 401,
      body: { error: { code: "MISSING_AUTH" } },
    });
    const exchanged = await api.call("POST", LAUNCH, { secret, body: { agent_code: agentCode } });
    t.match(exchanged, { status: 200, body: { status: "success", data: { token: /^eyJ/, transaction_id: String } } });
    t.equal(
      (await api.call("GET", "/v1/runtime-sessions/x", { bearer: exchanged.body.data.token })).status,
      401,
      "it opens nothing else",
    );
  });
});

t.test("a minted token starts its own agent's avatar in its own room, once", async (t) => {
  await withSessions({}, async ({ api, livekit, secret, agentCode, userId, launchBody }) => {
    const mint = async (body: object) => api.call("POST", "/v1/runtime-tokens/mint", { secret, body });
    const scope = { agent_code: agentCode, scope: "livekit-cloud", room_name: "r", livekit_url: `${livekit.url}/` };
    const { status, body } = await mint(scope);
    t.equal(status, 200);
    t.ok(body.expires_at > Date.now() / 1000 + 3500);
    const launch = async (token: string, roomName: string, changes = {}) =>
      api.call("POST", LAUNCH, { secret: token, body: await launchBody(roomName, changes) });
    const other = await addAgent(api.services, { userId });
    t.match(await launch(body.scoped_token, "r2"), { status: 403, body: { error: { code: "FORBIDDEN" } } });
    t.match(await launch(body.scoped_token, "r", { agent_id: other }), { status: 403 });
    const first = await launch(body.scoped_token, "r", { agent_id: null });
    t.match(first, { status: 200, body: { agent_id: agentCode } }, "the agent is in the token");
    t.equal((await launch(body.scoped_token, "r")).body.session_id, first.body.session_id, "a retry finds it");
    await api.call("POST", `/v1/runtime-sessions/${first.body.session_id}/end`, { secret });
    t.match(await launch(body.scoped_token, "r"), { status: 403, body: { error: { message: /already started/ } } });
    const unscoped = await mint({ agent_code: agentCode });
    t.match(unscoped.body, { token: String, agent_code: agentCode, scope: null });
    t.match(await launch(unscoped.body.token, "r"), { status: 401 }, "a download token starts nothing");
    t.match(await mint({ ...scope, room_name: null }), { status: 400, body: { error: { code: "MISSING_PARAM" } } });
    t.match(await mint({ agent_code: "NOBODY" }), { status: 404 });
    const embed = { agent_id: agentCode, fingerprint: "f00d" };
    const embedToken = (changes: object) =>
      api.call("POST", "/v1/embed-tokens/request", { secret, body: { ...embed, ...changes } });
    t.match((await embedToken({})).body, {
      status: "success",
      data: { sid: String, supported_models: ["essence-2", "essence-2-light", "expression-1"] },
    });
    t.match(await embedToken({ model: "expression-2" }), {
      status: 409,
      body: { error: { code: "MODEL_NOT_GENERATED" } },
    });
    t.match(await embedToken({ model: "nonsense" }), { status: 400 });
  });
});

t.test("slots, credits and conflicting repeats are decided in one transaction", async (t) => {
  await withSessions({ plan: "creator", credits: 1 }, async ({ api, livekit, secret, agentCode, userId, launch }) => {
    const answers = await Promise.all(["a", "b", "c", "d", "e"].map((roomName) => launch(roomName)));
    const refused = answers.filter(({ status }) => status === 403);
    t.equal(refused.length, 2, "three of five at the same time get the plan's three slots");
    t.match(refused[0].body.error, {
      code: "CONCURRENCY_LIMIT_REACHED",
      message: /Creator.*3.*3\/3/,
      upgrade_url: String,
      details: { limit: 3, running: 3, upgrade_url: String },
    });
    const [running] = answers.filter(({ status }) => status === 200);
    const same = await Promise.all([1, 2, 3].map(() => launch("a")));
    t.equal(new Set(same.map(({ body }) => body.session_id)).size, 1);
    const other = await addAgent(api.services, { userId });
    const roomName = (await api.call("GET", `/v1/runtime-sessions/${running.body.session_id}`, { secret })).body
      .room_name;
    t.match(await launch(roomName, { agent_id: other }), {
      status: 409,
      body: { error: { code: "VALIDATION_ERROR" } },
    });
    await api.call("POST", `/v1/runtime-sessions/${running.body.session_id}/end`, { secret });
    t.equal((await launch("f")).status, 200, "ending frees the slot at once");
    const poor = await api.addAccount();
    const code = await addAgent(api.services, { userId: poor.account.userId });
    const body = {
      mode: "gpu",
      agent_id: code,
      livekit_url: livekit.url,
      room_name: "p",
      livekit_token: await mintJoinToken("p"),
    };
    t.match(await api.call("POST", LAUNCH, { secret: poor.secret, body }), {
      status: 402,
      body: { error: { code: "INSUFFICIENT_BALANCE", topup_url: String } },
    });
    t.ok(agentCode);
  });
});

t.test("without a LiveKit server a launch is refused and its slot freed", async (t) => {
  await withApi(async (api) => {
    const { account, secret } = await api.addAccount({ plan: "custom" });
    const agentCode = await addAgent(api.services, { userId: account.userId });
    const { livekit } = api.services;
    const token = await livekit.mintJoinToken({ identity: "avatar", roomName: "r", ttlSeconds: 60 });
    const body = { mode: "cpu", agent_id: agentCode, livekit_url: livekit.url, livekit_token: token, room_name: "r" };
    const answer = await api.call("POST", LAUNCH, { secret, body });
    t.match(answer, { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE" } } });
    t.ok(Number(answer.headers.get("retry-after")) > 0);
    t.same(await api.services.database.selectFrom("avatar_sessions").select("id").execute(), []);
  });
});

t.test("a launch that no worker accepts is refused, frees its slot, and does not use up its token", async (t) => {
  const acceptance = { timeoutMs: 300 };
  const stage = { plan: "creator", hasWorker: false, policies: { acceptance } } as const;
  await withSessions(stage, async ({ api, livekit, secret, agentCode, launchBody }) => {
    const scope = { agent_code: agentCode, scope: "livekit-cloud", room_name: "r", livekit_url: livekit.url };
    const { body: minted } = await api.call("POST", "/v1/runtime-tokens/mint", { secret, body: scope });
    const launch = async () =>
      api.call("POST", LAUNCH, { secret: minted.scoped_token, body: await launchBody("r", { agent_id: null }) });
    const [first, repeat] = await Promise.all([launch(), launch()]);
    for (const answer of [first, repeat]) {
      t.match(answer, { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE", message: /no.* free slot/i } } });
      t.match(answer.headers.get("retry-after"), /^\d+$/);
    }
    const sessions = await api.services.database.selectFrom("avatar_sessions").select("id").execute();
    t.same(sessions, [], "a refused launch leaves no row");
    const full = { providers: ["cpu" as const], active_sessions: 4, max_sessions: 0, last_seen_at: new Date() };
    const { database } = api.services;
    await database
      .insertInto("avatar_workers")
      .values({ id: crypto.randomUUID(), ...full })
      .execute();
    t.equal((await api.call("GET", "/readyz")).body.status, "ok", "being full is no failure");
    acceptance.timeoutMs = 1_000_000;
    const refused = await launch();
    t.match(refused, { status: 503, body: { error: { message: /no.* free slot/i } } }, "at once, without a dispatch");
    t.match(refused.headers.get("retry-after"), /^\d+$/);
    await database.updateTable("avatar_workers").set({ max_sessions: 1 }).execute();
    acceptance.timeoutMs = 30_000;
    const worker = acceptLaunches(api, livekit);
    t.equal((await launch()).status, 200, "the same token starts a session once there is room");
    await worker.close();
  });
});

t.test(
  "a launch that a worker rejects although it reported room is dispatched again, and refused in time",
  async (t) => {
    const policies = { acceptance: { timeoutMs: 4_000, retryMs: 400 } };
    await withSessions({ hasWorker: false, policies }, async ({ api, livekit, launch }) => {
      const { url, apiKey, apiSecret, dispatchName } = livekit;
      const connect = async (accepts: boolean) => {
        const worker = { offers: [] as DispatchMetadata[], connection: null as WorkerConnection | null };
        worker.connection = new WorkerConnection({
          url,
          key: { apiKey, apiSecret },
          dispatchName,
          logger: createLogger({ level: "silent", name: "test" }),
          participant: { identity: "worker-of-a-test", name: "Avatar" },
          listener: {
            load: () => ({ load: workerLoad({ held: 0, most: 1000, limit: 1000 }), jobCount: 0 }),
            async onOffer({ metadata }) {
              const offer = dispatchMetadataSchema.parse(JSON.parse(metadata));
              worker.offers.push(offer);
              if (!accepts) return false;
              const accepted = { bearer: offer.runtime_token, body: { event: "accepted" } };
              const path = `/v1/runtime/sessions/${offer.avatar_session_id}/events`;
              return (await api.call("POST", path, accepted)).status === 200;
            },
            onReady() {},
            onAssigned() {},
            onWithdrawn() {},
            onTerminated() {},
          },
        });
        worker.connection.start();
        await waitFor(() => worker.connection?.isReady, "a registered worker");
        return worker;
      };
      const unwilling = await connect(false);
      const startedMs = performance.now();
      const refused = await launch("a");
      const tookMs = performance.now() - startedMs;
      t.match(refused, { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE" } } });
      t.ok(tookMs > 3_000 && tookMs < 8_000, `refused after ${Math.round(tookMs)} ms`);
      t.ok(unwilling.offers.length > 2, `it was offered ${unwilling.offers.length} times`);
      t.notOk(unwilling.offers.at(-1)?.is_running, "nothing was served yet");
      t.same(await api.services.database.selectFrom("avatar_sessions").select("id").execute(), []);

      const launching = launch("b");
      const before = unwilling.offers.length;
      await waitFor(() => unwilling.offers.length > before, "it is offered the next one");
      const willing = await connect(true);
      t.match(await launching, { status: 200 }, "another worker takes it");
      t.equal(willing.offers.length, 1);
      for (const { connection } of [unwilling, willing]) await connection?.close();
    });
  },
);

t.test("a LiveKit server on this machine counts as the same under each of its names", async (t) => {
  await withSessions({}, async ({ livekit, launch }) => {
    const first = await launch("r");
    const aliased = await launch("r", { livekit_url: livekit.url.replace("127.0.0.1", "localhost") });
    t.match(aliased, { status: 200, body: { session_id: first.body.session_id } });
  });
});

t.test("a flood of launches is refused before bodies are read, and only for the token that sends it", async (t) => {
  await withSessions({}, async ({ api, livekit, secret, agentCode }) => {
    const scope = { agent_code: agentCode, scope: "livekit-cloud", room_name: "r", livekit_url: livekit.url };
    const { body: minted } = await api.call("POST", "/v1/runtime-tokens/mint", { secret, body: scope });
    const flood = await Promise.all(
      Array.from({ length: 40 }, () => api.call("POST", LAUNCH, { secret: minted.scoped_token, body: "not JSON" })),
    );
    const refused = flood.filter(({ status }) => status === 503);
    t.ok(refused.length > 0 && refused.length <= 10, `${refused.length} of 40 refused`);
    t.match(refused[0].body.error, { code: "SERVICE_UNAVAILABLE" }, "never 429");
    t.match(refused[0].headers.get("retry-after"), /^\d+$/);
    t.equal((await api.call("POST", LAUNCH, { secret })).status, 200, "the account itself goes on");

    const policy = { ...LAUNCH_LIMIT_POLICY, accountBodies: 1, waitMs: 10_000 };
    const { account } = await api.addAccount();
    const caller = { kind: "secret", account, secretId: "s", organizationId: null, isConsole: false } as const;
    const beforeBody = createLaunchLimit(api.services.limiter, policy);
    const leave = await beforeBody(caller);
    let isIn = false;
    const second = beforeBody(caller).then((leaveSecond) => {
      isIn = true;
      return leaveSecond;
    });
    await createLaunchLimit(api.services.limiter, policy)(caller);
    t.notOk(isIn, "a second body waits");
    leave();
    leave();
    const leaveSecond = await second;
    const impatient = createLaunchLimit(api.services.limiter, { ...policy, waitMs: 20 });
    await impatient(caller);
    await t.rejects(impatient(caller), { code: "SERVICE_UNAVAILABLE", retryAfterSeconds: 5 }, "but not for ever");
    leaveSecond();
    t.equal(typeof (await beforeBody(caller)), "function", "and a place that was left is free");
  });
});

t.test(
  "an image is fetched only for launches that passed the other checks, and is deleted with its session",
  async (t) => {
    let fetches = 0;
    const face = readFileSync(new URL("../../../fixtures/portraits/astronaut.png", import.meta.url));
    const server = createServer((_request, response) => {
      fetches += 1;
      response.writeHead(200, { "content-type": "image/png" }).end(face);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.teardown(() => server.close());
    const image = `http://127.0.0.1:${(server.address() as AddressInfo).port}/face.png`;
    const environment = { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" };
    await withSessions({ environment, plan: "creator" }, async ({ api, secret, launch, launchBody }) => {
      const poor = await api.addAccount();
      const body = await launchBody("poor", { agent_id: null, image, model: "expression-1" });
      t.equal((await api.call("POST", LAUNCH, { secret: poor.secret, body })).status, 402);
      t.equal(fetches, 0, "an image is not fetched for an account without credits");

      const base64 = face.toString("base64");
      t.ok(base64.length > 16_384, "goes to disk");
      const started = await launch("photo", { agent_id: null, image: base64, model: "expression-1" });
      t.match(started, { status: 200, body: { model: "expression-1" } });
      t.notOk("image" in started.body, "a file is not echoed");
      const id = started.body.session_id;
      const key = `session-portraits/${id}`;
      t.ok(await api.services.storage.sizeOf(key));
      const repeated = await launch("photo", { agent_id: null, image, model: "expression-1" });
      t.match(repeated, { status: 200, body: { session_id: id, image } });
      await api.call("POST", `/v1/runtime-sessions/${id}/end`, { secret });
      t.equal(await api.services.storage.sizeOf(key), null);
      const kept = await api.services.database
        .selectFrom("avatar_sessions")
        .select("id")
        .where("portrait_key", "is not", null)
        .execute();
      t.same(kept, []);
    });
  },
);
