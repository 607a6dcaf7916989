// The life of an avatar session over REST, on a real LiveKit server; the test stands where the avatar worker stands.
import { dispose } from "@livekit/rtc-node";
import { AccessToken, RoomServiceClient } from "livekit-server-sdk";
import t, { type Test } from "tap";
import { addSecret, revokeSecret } from "../../../api/accounts/account-store.ts";
import { balanceOf, chargeCredits } from "../../../api/accounts/ledger.ts";
import { createSessionWatchdog } from "../../../api/avatar-sessions/session-watchdog.ts";
import { addAgent } from "../../helpers/add-agent.ts";
import { type ControlRoomWorker, findDispatch, joinControlRoom } from "../../helpers/control-room-worker.ts";
import type { LiveKitAccess } from "../../helpers/shared-servers.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { type TestAnswer, type TestApi, withApi } from "../../helpers/with-api.ts";
import { withOwnLiveKit } from "../../helpers/with-own-livekit.ts";

const LAUNCH = "/v1/runtime-tokens/request";

interface Stage {
  api: TestApi;
  livekit: LiveKitAccess;
  userId: string;
  secret: string;
  agentCode: string;
  /** Body of a good launch into a room. */
  launchBody(roomName: string, changes?: Record<string, unknown>): Promise<Record<string, unknown>>;
  launch(roomName: string, changes?: Record<string, unknown>): Promise<TestAnswer>;
  /** Launches, joins as worker and reports live. */
  goLive(roomName: string): Promise<{ id: string; worker: ControlRoomWorker; token: string }>;
}

let access: LiveKitAccess;
let release = (): void => {};
let livekitGone: Promise<void>;

t.before(async () => {
  await new Promise<void>((resolve, reject) => {
    livekitGone = withOwnLiveKit((started) => {
      access = started;
      resolve();
      return new Promise<void>((done) => {
        release = done;
      });
    });
    livekitGone.catch(reject);
  });
});
t.after(async () => {
  release();
  await livekitGone;
  await dispose();
});

async function mintJoinToken(roomName: string, options: { identity?: string; ttl?: number; secret?: string } = {}) {
  const token = new AccessToken(access.apiKey, options.secret ?? access.apiSecret, {
    identity: options.identity ?? "the-avatar",
    ttl: options.ttl ?? 600,
  });
  token.addGrant({ roomJoin: true, room: roomName });
  token.kind = "agent";
  return token.toJwt();
}

async function onStage(
  options: { plan?: "creator" | "pro" | "custom"; credits?: number },
  work: (stage: Stage) => Promise<void>,
): Promise<void> {
  await withApi(
    async (api) => {
      const { account, secret } = await api.addAccount({ plan: options.plan, credits: options.credits ?? 100 });
      const { userId } = account;
      const agentCode = await addAgent(api.services, { userId });
      const workers: ControlRoomWorker[] = [];
      const launchBody: Stage["launchBody"] = async (roomName, changes = {}) => ({
        mode: "gpu",
        agent_id: agentCode,
        livekit_url: access.url,
        livekit_token: await mintJoinToken(roomName),
        room_name: roomName,
        ...changes,
      });
      const launch: Stage["launch"] = async (roomName, changes) =>
        api.call("POST", LAUNCH, { secret, body: await launchBody(roomName, changes) });
      const goLive: Stage["goLive"] = async (roomName) => {
        const { body } = await launch(roomName);
        const worker = await joinControlRoom(access, body.session_id);
        workers.push(worker);
        const token = worker.metadata.runtime_token;
        const live = { event: "live" };
        const answer = await api.call("POST", `/v1/runtime/sessions/${body.session_id}/events`, {
          bearer: token,
          body: live,
        });
        if (answer.status !== 200) throw new Error(`not live: ${JSON.stringify(answer.body)}`);
        return { id: body.session_id, worker, token };
      };
      try {
        await work({ api, livekit: access, userId, secret, agentCode, launchBody, launch, goLive });
      } finally {
        for (const worker of workers) await worker.leave();
      }
    },
    { livekit: access },
  );
}

t.test("a session is launched, served, spoken to, metered and ended", async (t) => {
  await onStage({ credits: 10 }, async ({ api, secret, agentCode, userId, launch, goLive }) => {
    const speak = (body: object) => api.call("POST", `/v1/agent/${agentCode}/speak`, { secret, body });
    t.match(await speak({ message: "Hello" }), {
      status: 404,
      body: { error: { message: /^No active rooms found for agent/ } },
    });

    const started = await launch("room-1");
    t.match(started, {
      status: 200,
      body: {
        avatar_session_started: true,
        session_id: /^cs_[0-9a-f]{24}$/,
        model: "essence-2",
        mode: "gpu",
        agent_id: agentCode,
        user_id: userId,
        status: "starting",
      },
    });
    const id: string = started.body.session_id;
    t.match(
      await speak({ message: "Hello" }),
      { status: 404, body: { error: { message: /still on its way/ } } },
      "a room whose avatar is not live yet is not deliverable",
    );
    const { worker, token, id: sameId } = await goLive("room-1");
    t.equal(sameId, id, "the same launch again is the same session");

    const runtime = (path: string) => `/v1/runtime/sessions/${id}/${path}`;
    const job = await api.call("GET", runtime("job"), { bearer: token });
    t.match(job.body, {
      avatar_session_id: id,
      agent_code: agentCode,
      voice_id: "F2",
      model: "essence-2",
      imx_url: `${api.baseUrl}${runtime("model")}`,
      portrait_url: null,
      livekit_url: access.url,
      room_name: "room-1",
      livekit_token: /^eyJ/,
      conversation: false,
    });
    t.equal((await api.call("GET", runtime("model"), { bearer: token })).body, `essence-2 of ${agentCode}`);
    t.equal((await api.call("GET", runtime("portrait"), { bearer: token })).body, `portrait of ${agentCode}`);

    const receipt = await speak({ message: "Hello there" });
    t.match(receipt, {
      status: 200,
      body: {
        agent_code: agentCode,
        context_type: "speak",
        delivered_to_rooms: 1,
        rooms: ["room-1"],
        rooms_failed: [],
      },
    });
    const context = { context: "It is raining", room_id: "room-1" };
    t.match(await api.call("POST", `/v1/agent/${agentCode}/add-context`, { secret, body: context }), {
      status: 200,
      body: { context_type: "add_context", delivered_to_rooms: 1 },
    });
    t.match(worker.calls, [
      { method: "service.speak", payload: { message: "Hello there", request_id: String } },
      { method: "service.add_context", payload: { context: "It is raining", request_id: String } },
    ]);
    worker.declined.add("service.add_context").add("service.speak");
    t.match(
      await api.call("POST", `/v1/agent/${agentCode}/add-context`, { secret, body: context }),
      { status: 404, body: { error: { message: /^No active rooms found for agent .*: no conversation is attached/ } } },
      "an avatar without a conversation takes no context",
    );
    t.match(await speak({ message: "Hello" }), { status: 404, body: { error: { message: /did not answer/ } } });
    const bad = (path: string, body: object) => api.call("POST", `/v1/agent/${agentCode}/${path}`, { secret, body });
    t.match(await bad("speak", { message: "x", room_id: "elsewhere" }), { status: 404 });
    t.match(await bad("speak", {}), { status: 400, body: { error: { code: "MISSING_PARAM" } } });
    t.match(await bad("speak", { message: "x".repeat(5001) }), {
      status: 400,
      body: { error: { code: "VALIDATION_ERROR" } },
    });
    t.match(await bad("add-context", { context: "x", type: "shout" }), {
      status: 422,
      body: { error: { code: "VALIDATION_ERROR" } },
    });

    const listed = await api.call("GET", `/v1/agent/${agentCode}/sessions`, { secret });
    t.match(listed.body, {
      agent_code: agentCode,
      sessions: [{ room_id: "room-1", deliverable: true, num_participants: 0 }],
    });

    const beat = (seq: number, served: number) =>
      api.call("POST", runtime("beat"), { bearer: token, body: { seq, served_seconds: served } });
    const { database } = api.services;
    // Half an hour passes for this session, so that its worker can have served that long.
    await database
      .updateTable("avatar_sessions")
      .set({ created_at: new Date(Date.now() - 1_800_000) })
      .execute();
    t.match((await beat(1, 30)).body, { ok: true, token: /^eyJ/, balance: 8 });
    t.match((await beat(1, 90)).body, { ok: true, balance: 8 }, "a repeated beat changes nothing");
    t.match((await beat(2, 20)).body, { ok: true, balance: 8 }, "served time never goes back");
    t.match((await beat(3, 52.5)).body, { ok: true, balance: 7 });

    const ended = await api.call("POST", `/v1/runtime-sessions/${id}/end`, { secret });
    t.match(ended, {
      status: 200,
      body: { session_id: id, status: "ended", room_name: "room-1", credits: 3, ended: true, slot_released: true },
    });
    t.ok(ended.body.billed_seconds >= 52.5 && ended.body.billed_seconds < 54, `${ended.body.billed_seconds} s`);
    t.match(worker.calls.at(-1), { method: "service.end", payload: { reason: "ended_by_api" } });
    const again = await api.call("POST", `/v1/runtime-sessions/${id}/end`, { secret });
    t.same({ ...again.body, note: "" }, { ...ended.body, note: "" }, "ending is repeatable");
    t.match((await beat(4, 60)).body, { ok: false, stop: { reason: "ended_by_api" } });
    t.equal((await balanceOf(database, userId)).total, 7);
    t.equal((await api.call("GET", runtime("job"), { bearer: token })).status, 404, "the join token is forgotten");
    const rooms = await new RoomServiceClient(
      access.url.replace("ws", "http"),
      access.apiKey,
      access.apiSecret,
    ).listRooms([`ctl-${id}`]);
    t.same(rooms, [], "the control room is gone");
    const stranger = await api.addAccount();
    t.equal((await api.call("GET", `/v1/runtime-sessions/${id}`, { secret: stranger.secret })).status, 404);
  });
});

t.test("a launch that is wrong is refused with what is wrong, and leaves nothing behind", async (t) => {
  await onStage({}, async ({ api, secret, agentCode, launch, launchBody }) => {
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
      [{ livekit_token: await mintJoinToken("other") }, 400, "VALIDATION_ERROR", /its room is not room_name/],
      [{ livekit_token: await mintJoinToken("r", { ttl: -60 }) }, 400, "VALIDATION_ERROR", /expired/],
      [{ livekit_token: await mintJoinToken("r", { secret: "x".repeat(40) }) }, 400, "VALIDATION_ERROR", /signature/],
      [{ agent_id: "NOBODY" }, 404, "NOT_FOUND", /^Agent not found for code: NOBODY/],
      [{ agent_id: null }, 400, "VALIDATION_ERROR", /agent_id/],
      [{ model: "gpt" }, 400, "VALIDATION_ERROR", /"gpt".*essence-2/],
      [{ model: "expression-2" }, 409, "MODEL_NOT_GENERATED", /hasn't been generated yet.*2000 credits/],
      [{ model: "essence-2-quality" }, 400, "MODEL_NOT_OFFERED", /essence-2/],
      [{ image: "http://10.1.1.1/x.png", model: "expression-1" }, 400, "VALIDATION_ERROR", /private address/],
      [{ image: "%%%" }, 400, "VALIDATION_ERROR", /image/],
      // Nobody fetches a picture that could not be used anyway.
      [{ image: "https://nowhere.invalid/x.png", model: "essence-2" }, 400, "VALIDATION_ERROR", /expression-1 only/],
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

t.test("forms launch too, with the secret as Bearer and the older field names", async (t) => {
  await onStage({}, async ({ api, secret, agentCode, launchBody }) => {
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
  await onStage({}, async ({ api, secret, agentCode, userId, launchBody }) => {
    const mint = async (body: object) => api.call("POST", "/v1/runtime-tokens/mint", { secret, body });
    const scope = { agent_code: agentCode, scope: "livekit-cloud", room_name: "r", livekit_url: `${access.url}/` };
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
      data: { sid: String, supported_models: ["essence-2", "expression-1"] },
    });
    t.match(await embedToken({ model: "expression-2" }), {
      status: 409,
      body: { error: { code: "MODEL_NOT_GENERATED" } },
    });
    t.match(await embedToken({ model: "nonsense" }), { status: 400 });
  });
});

t.test("slots, credits and a differing repeat are decided in one transaction", async (t) => {
  await onStage({ plan: "creator", credits: 1 }, async ({ api, secret, agentCode, userId, launch }) => {
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
      livekit_url: access.url,
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

t.test("a beat is told to stop when the balance is gone, the secret revoked or the day over", async (t) => {
  const stopOf = async (t: Test, plan: "pro" | "custom", spoil: (stage: Stage, id: string) => Promise<void>) => {
    let reason: unknown;
    await onStage({ plan, credits: 2 }, async (stage) => {
      const { id, token } = await stage.goLive("room");
      await spoil(stage, id);
      const answer = await stage.api.call("POST", `/v1/runtime/sessions/${id}/beat`, {
        bearer: token,
        body: { seq: 1, served_seconds: 45 },
      });
      t.equal(answer.status, 200);
      reason = answer.body.stop?.reason;
      const { body } = await stage.api.call("GET", `/v1/runtime-sessions/${id}`, {
        secret: await addSecret(stage.api.services.database, {
          userId: stage.userId,
          alias: "other",
          createdAt: new Date(),
        }),
      });
      t.equal(body.status, reason === undefined ? "live" : "ended");
    });
    return reason;
  };
  const age = ({ api }: Stage, seconds: number) =>
    api.services.database
      .updateTable("avatar_sessions")
      .set({ created_at: new Date(Date.now() - seconds * 1000), live_at: new Date(Date.now() - seconds * 1000) })
      .execute();
  t.equal(await stopOf(t, "pro", async (stage) => void (await age(stage, 60))), "balance_exhausted");
  t.equal(
    await stopOf(t, "custom", async (stage) => void (await age(stage, 60))),
    undefined,
    "custom is never stopped for credits",
  );
  t.equal(await stopOf(t, "custom", async (stage) => void (await age(stage, 86_400))), "duration_limit");
  t.equal(
    await stopOf(t, "custom", async ({ api, userId }) => {
      await revokeSecret(api.services.database, userId, "test", new Date());
    }),
    "secret_revoked",
  );
});

t.test("a lost worker is replaced, keeps what it served, and is not listened to any more", async (t) => {
  await onStage({}, async ({ api, secret, goLive }) => {
    const { id, worker, token } = await goLive("room");
    const { database } = api.services;
    const post = (path: string, bearer: string, body: object) =>
      api.call("POST", `/v1/runtime/sessions/${id}/${path}`, { bearer, body });
    await database
      .updateTable("avatar_sessions")
      .set({ created_at: new Date(Date.now() - 600_000) })
      .execute();
    await post("beat", token, { seq: 1, served_seconds: 100 });
    await worker.leave();
    const statusOf = async () => (await api.call("GET", `/v1/runtime-sessions/${id}`, { secret })).body.status;
    await database
      .updateTable("avatar_sessions")
      .set({ last_seen_at: new Date(Date.now() - 60_000) })
      .execute();
    // The api has just started: its own watchdog must wait, because no beat could have arrived before. This one need not.
    t.equal(await statusOf(), "live", "a worker is not given up for the time the api was away");
    const watchdog = createSessionWatchdog({ services: api.services, avatarSessions: api.avatarSessions, graceMs: 0 });
    await watchdog.start();
    await waitFor(async () => (await statusOf()) === "starting", "the session to start again");
    await watchdog.close();
    const next = await findDispatch(access, id);
    t.not(next.runtime_token, token);
    t.match((await post("beat", token, { seq: 2, served_seconds: 200 })).body, {
      ok: false,
      stop: { reason: "worker_lost" },
    });
    t.match(await post("events", token, { event: "ended", reason: "model_failed" }), { status: 409 });
    t.equal((await post("events", next.runtime_token, { event: "live" })).status, 200);
    await post("beat", next.runtime_token, { seq: 1, served_seconds: 50 });
    const { body } = await api.call("GET", `/v1/runtime-sessions/${id}`, { secret });
    t.match(body, { status: "live", billed_seconds: 150, credits: 10 });
    t.equal(
      (await post("events", next.runtime_token, { event: "ended", reason: "last_user_left", served_seconds: 60 }))
        .status,
      200,
    );
    t.match((await api.call("GET", `/v1/runtime-sessions/${id}`, { secret })).body, {
      status: "ended",
      end_reason: "last_user_left",
      billed_seconds: 160,
    });
  });
});

t.test("a runtime token of one session opens no other, and no other kind of token opens it", async (t) => {
  await onStage({}, async ({ api, secret, goLive }) => {
    const first = await goLive("one");
    const second = await goLive("two");
    const job = (id: string, bearer: string) => api.call("GET", `/v1/runtime/sessions/${id}/job`, { bearer });
    t.equal((await job(first.id, first.token)).status, 200);
    t.equal((await job(second.id, first.token)).status, 404);
    t.equal((await job(first.id, secret)).status, 401);
    const exchanged = await api.call("POST", LAUNCH, { secret });
    t.equal(
      (await job(first.id, exchanged.body.data.token)).status,
      404,
      "an account's runtime token serves self-hosted sessions only",
    );
    t.equal((await api.call("GET", "/v1/runtime-sessions/x", { secret: first.token })).status, 401);
  });
});

t.test("a self-hosted session is metered at its own rate and stopped by an error", async (t) => {
  await onStage({ credits: 3 }, async ({ api, secret, agentCode, userId }) => {
    const { body: exchange } = await api.call("POST", LAUNCH, { secret });
    const bearer = exchange.data.token;
    const body = { agent_code: agentCode, model: "essence-2", host: "laptop", install_id: "i" };
    const { body: begun } = await api.call("POST", "/v1/runtime/sessions", { bearer, body });
    t.match(begun, { session_id: /^cs_/, beat_interval_s: 60, grace_s: 300 });
    const { database } = api.services;
    await database
      .updateTable("avatar_sessions")
      .set({ created_at: new Date(Date.now() - 600_000) })
      .execute();
    const post = (path: string, sent: object) =>
      api.call("POST", `/v1/runtime/sessions/${begun.session_id}/${path}`, { bearer, body: sent });
    for (const seq of [0, 1.5, 2 ** 31, Number.MAX_SAFE_INTEGER])
      t.match(await post("beat", { seq, served_seconds: 1 }), { status: 400 }, `seq ${seq}`);
    t.match(await post("beat", { seq: 1, served_seconds: 60 }), {
      status: 200,
      body: { ok: true, balance: 1, token: String },
    });
    t.match(await post("stop", { served_seconds: 45 }), { status: 200, body: { billed_seconds: 60, credits: 2 } });
    t.match(
      await post("stop", { served_seconds: 500 }),
      { status: 200, body: { billed_seconds: 60, credits: 2 } },
      "repeatable",
    );
    const { body: second } = await api.call("POST", "/v1/runtime/sessions", { bearer, body });
    await database.transaction().execute(async (transaction) => {
      const account = {
        userId,
        email: "",
        plan: "pro",
        status: "active",
        isRuntimeSuspended: false,
        createdAt: new Date(),
      } as const;
      const { links } = api.services;
      await chargeCredits(transaction, {
        account,
        amountCredits: 1,
        reason: "r",
        reference: "x",
        agentCode: null,
        at: new Date(),
        links,
      });
    });
    const refused = await api.call("POST", `/v1/runtime/sessions/${second.session_id}/beat`, {
      bearer,
      body: { seq: 1, served_seconds: 1 },
    });
    t.match(refused, { status: 402, body: { error: { code: "INSUFFICIENT_BALANCE", topup_url: String } } });
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
    const [session] = await api.services.database.selectFrom("avatar_sessions").selectAll().execute();
    t.match(session, { status: "ended", end_reason: "worker_lost", credits: 0, sealed_livekit_token: null });
    t.match((await api.call("GET", "/readyz")).body, {
      status: "degraded",
      families: { "essence-2": { status: "unhealthy" } },
    });
  });
});
