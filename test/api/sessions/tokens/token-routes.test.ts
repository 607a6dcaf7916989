// Exchanged, minted and embed tokens over REST, on an api without a LiveKit server.
import { sql } from "kysely";
import t from "tap";
import { sweepTokenExchanges } from "../../../../api/sessions/tokens/token-exchange-store.ts";
import { addAgent } from "../../../helpers/service/add-agent.ts";
import { withIdleApi } from "../../../helpers/service/with-api.ts";

t.test("only livekit_url may name our own LiveKit server if its address is private", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount({ credits: 1000 });
    const agentCode = await addAgent(api.services, { userId: account.userId });
    const ownServer = new URL(api.services.livekit.url);
    const body = { agent_code: agentCode, scope: "livekit-cloud", room_name: "r", livekit_url: ownServer.href };
    const minted = await api.call("POST", "/v1/runtime-tokens/mint", { secret, body });
    t.equal(minted.status, 200);
    const port = Number(ownServer.port);
    const elsewhere = { ...body, livekit_url: `ws://127.0.0.1:${port + 1}` };
    t.equal((await api.call("POST", "/v1/runtime-tokens/mint", { secret, body: elsewhere })).status, 400);
    const refusals = [
      ["/v1/agent/generate", { model: "essence-2", image: `http://127.0.0.1:${port}/face.png` }],
      ["/v1/webhooks", { url: `https://127.0.0.1:${port}/hook` }],
      ["/v1/files/upload", { file_url: `http://localhost:${port}/a.png`, file_type: "image" }],
    ] as const;
    for (const [path, fields] of refusals) {
      const answer = await api.call("POST", path, { secret, body: fields });
      t.match(answer, { status: 400, body: { error: { message: /private address/ } } }, path);
    }
  });
});

t.test("an exchange is stored, and sessions of its token inherit its agent, room and transaction_id", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount({ credits: 1000 });
    const agentCode = await addAgent(api.services, { userId: account.userId });
    const stranger = await api.addAccount();
    const foreign = await addAgent(api.services, { userId: stranger.account.userId });
    const exchange = (body: object) => api.call("POST", "/v1/runtime-tokens/request", { secret, body });
    const begin = async (bearer: string, changes = {}) =>
      api.call("POST", "/v1/runtime/sessions", { bearer, body: { model: "essence-2", host: "kiosk", ...changes } });
    const exchanges = () => api.services.database.selectFrom("token_exchanges").selectAll().execute();

    t.match(await exchange({ agent_code: foreign }), { status: 404, body: { error: { code: "NOT_FOUND" } } });
    t.equal((await exchange({ tags: 7 })).status, 400);
    t.same(await exchanges(), [], "a refused exchange leaves nothing behind");

    const fields = {
      billing_type: "kiosk",
      user_id: "visitor-7",
      fingerprint: "f00d",
      tags: "lobby",
      room_name: "hall",
    };
    const { transaction_id: id, token } = (await exchange({ ...fields, agent_code: agentCode })).body.data;
    t.match(await exchanges(), [
      { id, agent_code: agentCode, end_user_id: "visitor-7", fingerprint: "f00d", tags: "lobby" },
    ]);
    const session = await begin(token);
    t.equal(session.status, 200);
    const { session_id: sessionId } = session.body;
    const attributed = { agent_id: agentCode, room_name: "hall", transaction_id: id };
    t.match((await api.call("GET", `/v1/runtime-sessions/${sessionId}`, { secret })).body, attributed);
    const report = await api.call("GET", `/v2/${account.userId}/runtime-sessions`, { secret });
    t.match(report.body.data.sessions, [
      { id: sessionId, agent_code: agentCode, transaction_id: id, end_user_id: "visitor-7", tags: "lobby" },
    ]);

    const heartbeat = { seq: 1, served_seconds: 1 };
    const renewed = await api.call("POST", `/v1/runtime/sessions/${sessionId}/beat`, {
      bearer: token,
      body: heartbeat,
    });
    const second = await begin(renewed.body.token);
    t.match(
      (await api.call("GET", `/v1/runtime-sessions/${second.body.session_id}`, { secret })).body,
      attributed,
      "a renewed token keeps its transaction",
    );
    const other = await addAgent(api.services, { userId: account.userId });
    const named = await begin(token, { agent_code: other });
    t.match((await api.call("GET", `/v1/runtime-sessions/${named.body.session_id}`, { secret })).body, {
      ...attributed,
      agent_id: other,
    });

    const bare = (await exchange({})).body.data;
    const later = new Date(api.services.now() + 2 * 3_600_000);
    await sweepTokenExchanges(api.services.database, later);
    t.same(
      (await exchanges()).map((row) => row.id),
      [id],
      "expired exchanges without a session are swept",
    );
    const unknown = await begin(bare.token);
    t.match((await api.call("GET", `/v1/runtime-sessions/${unknown.body.session_id}`, { secret })).body, {
      agent_id: null,
      transaction_id: null,
    });
  });
});

t.test(
  "a launch token allows no image, and only its own model or one that costs no more than the agent's",
  async (t) => {
    await withIdleApi(async (api) => {
      const { account, secret } = await api.addAccount({ credits: 1000 });
      const families = ["essence-1", "essence-2"] as const;
      const cheap = await addAgent(api.services, { userId: account.userId, families });
      const { livekit } = api.services;
      const place = { livekit_url: livekit.url, room_name: "r" };
      const mint = (changes: object) =>
        api.call("POST", "/v1/runtime-tokens/mint", {
          secret,
          body: { agent_code: cheap, scope: "livekit-cloud", ...place, ...changes },
        });
      const livekitToken = await livekit.mintJoinToken({ identity: "avatar", roomName: "r", ttlSeconds: 60 });
      const launch = async (minted: { body: { scoped_token: string } }, changes: object) => {
        const body = { mode: "gpu", ...place, livekit_token: livekitToken, ...changes };
        const answer = await api.call("POST", "/v1/runtime-tokens/request", { secret: minted.body.scoped_token, body });
        return { status: answer.status, code: answer.body.error?.code };
      };
      const forbidden = { status: 403, code: "FORBIDDEN" };
      // What is in scope gets as far as the LiveKit server, which is not there.
      const inScope = { status: 503, code: "SERVICE_UNAVAILABLE" };
      const open = await mint({});
      for (const field of ["image", "avatar_image", "avatar_image_url"]) {
        t.same(await launch(open, { [field]: "https://nowhere.invalid/face.png" }), forbidden, field);
      }
      t.same(await launch(open, { model: "essence-2" }), forbidden, "4 credits per minute instead of 2");
      t.same(await launch(open, { model: "essence-1" }), inScope);
      t.same(await launch(open, {}), inScope);
      const bound = await mint({ model: "essence-2" });
      t.same(await launch(bound, { model: "essence-1" }), forbidden, "another model than the token's");
      t.same(await launch(bound, { model: "essence-2" }), inScope);
      t.same(await launch(bound, {}), inScope);
      t.match(await mint({ model: "expression-2" }), { status: 409, body: { error: { code: "MODEL_NOT_GENERATED" } } });
      t.equal((await mint({ model: "nonsense" })).status, 400);
    });
  },
);

t.test(
  "a launch token is exchanged once, and begins, renews and reports its own self-hosted session alone",
  async (t) => {
    await withIdleApi(async (api) => {
      const { account, secret } = await api.addAccount({ credits: 1000 });
      const agentCode = await addAgent(api.services, { userId: account.userId });
      const otherCode = await addAgent(api.services, { userId: account.userId });
      const livekit_url = "wss://livekit.example";
      const scope = { agent_code: agentCode, room_name: "hall", livekit_url };
      const mint = async () => {
        const body = { ...scope, scope: "livekit-cloud" };
        return (await api.call("POST", "/v1/runtime-tokens/mint", { secret, body })).body.scoped_token as string;
      };
      const exchange = (token: string, body: object) =>
        api.call("POST", "/v1/runtime-tokens/request", { secret: token, body });
      const begin = (bearer: string, body: object = {}) => api.call("POST", "/v1/runtime/sessions", { bearer, body });
      const token = await mint();
      const wrong = [
        { room_name: "another hall" },
        { agent_code: otherCode },
        { livekit_url: "wss://other.example" },
        { livekit_url: undefined },
      ];
      for (const change of wrong) {
        t.match(await exchange(token, { ...scope, ...change }), {
          status: 403,
          body: { error: { code: "FORBIDDEN" } },
        });
      }
      const exchanged = await exchange(token, { ...scope, livekit_url: "https://LiveKit.example/" });
      t.equal(exchanged.status, 200, "the server's URL is compared in one form");
      const bearer = exchanged.body.data.token;

      for (const body of [{ agent_code: otherCode }, { has_image: true }, { model: "essence-2-quality" }]) {
        t.ok([400, 403].includes((await begin(bearer, body)).status), JSON.stringify(body));
      }
      const begun = await begin(bearer, { host: "box" });
      t.match(begun, { status: 200, body: { session_id: /^cs_/, model: "essence-2" } }, "the agent's own model");
      const id = begun.body.session_id;
      t.equal((await begin(bearer)).body.session_id, id, "a repeated request finds the session");
      t.equal((await exchange(token, scope)).status, 403, "the launch token is used up");
      const second = await exchange(await mint(), scope);
      const stranger = second.body.data.token;

      const beat = (by: string, body: object) =>
        api.call("POST", `/v1/runtime/sessions/${id}/beat`, { bearer: by, body });
      t.equal((await beat(stranger, { seq: 1, served_seconds: 1 })).status, 404, "another token's session");
      const answer = await beat(bearer, { seq: 1, served_seconds: 1 });
      t.equal(answer.status, 200);
      const renewed = answer.body.token;
      t.equal((await beat(renewed, { seq: 2, served_seconds: 1 })).status, 200);
      t.equal((await begin(renewed)).body.session_id, id, "a renewed token begins no other session");
      const face = await api.call("GET", `/v1/runtime/sessions/${id}/job`, { bearer: renewed });
      t.match(face.body, {
        agent_code: agentCode,
        model: "essence-2",
        livekit_token: "",
        system_prompt: "",
        providers: null,
      });
      t.equal((await api.call("GET", `/v1/runtime/sessions/${id}/job`, { bearer: stranger })).status, 404);
      t.equal(
        (await api.call("POST", `/v1/runtime/sessions/${id}/stop`, { bearer: renewed, body: { served_seconds: 1 } }))
          .status,
        200,
      );
      t.equal((await begin(renewed)).status, 403, "its session has ended");
      const agentRead = await api.call("GET", `/v1/agent/${agentCode}`, { bearer: renewed });
      t.equal(agentRead.status, 401, "no other endpoint takes a runtime token");
    });
  },
);

t.test("an account's live exchanges are bounded, and expired ones neither count nor stay", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount({ credits: 1000 });
    const { database, now } = api.services;
    const exchange = (by = secret) => api.call("POST", "/v1/runtime-tokens/request", { secret: by, body: {} });
    const add = (count: number, lifetimeS: number) =>
      sql`
        insert into token_exchanges (id, user_id, expires_at)
        select gen_random_uuid(), ${account.userId}, ${new Date(now() + lifetimeS * 1000)} from generate_series(1, ${count})
      `.execute(database);
    const count = async () => (await database.selectFrom("token_exchanges").select("id").execute()).length;
    await add(6_000, -1);
    await add(4_999, 300);
    t.equal((await exchange()).status, 200, "the five thousandth");
    const refused = await exchange();
    t.match(refused, { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE" } } });
    t.match(refused.headers.get("retry-after"), "60");
    const other = await api.addAccount({ credits: 1 });
    t.equal((await exchange(other.secret)).status, 200, "another account");
    await sweepTokenExchanges(database, new Date(now() + 120_000));
    t.equal(await count(), 5_001);
    await sweepTokenExchanges(database, new Date(now() + 600_000));
    t.equal(await count(), 0);
  });
});
