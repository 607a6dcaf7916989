// Which providers an agent uses, what its sessions are told, and what they cost.
import t from "tap";
import { balanceOf } from "../../../api/accounts/credits/ledger.ts";
import { type SessionStage, withSessions } from "../../helpers/service/with-sessions.ts";

const KEY = "sk-the-secret-key-of-ada";
const MINE = {
  id: "mine",
  platform: "openai",
  credentials: { apiKey: KEY, baseUrl: "https://a.example/v1" },
  options: { llm: { model: "m" }, tts: { model: "t", voice: "nova" } },
};

function callsOf({ api, userId, secret, agentCode }: SessionStage) {
  return {
    put: (entries: unknown) => api.call("PUT", `/v2/${userId}/providers`, { secret, body: { entries } }),
    select: (providers: unknown, more: object = {}) =>
      api.call("POST", `/v1/agent/${agentCode}`, { secret, body: { providers, ...more } }),
    shown: async () => (await api.call("GET", `/v1/agent/${agentCode}`, { secret })).body.data.providers,
    jobOf: async ({ id, token }: { id: string; token: string }) =>
      (await api.call("GET", `/v1/runtime/sessions/${id}/job`, { bearer: token })).body,
  };
}

const custom = (id: string) => ({ mode: "custom", provider_id: id });

t.test("an agent's selection is changed by kind, and shown once something is chosen", async (t) => {
  await withSessions({ hasWorker: false }, async (stage) => {
    const { put, select, shown } = callsOf(stage);
    await put([MINE, { id: "eleven", platform: "elevenlabs" }]);
    t.equal(await shown(), undefined);
    t.match(await select({ llm: custom("mine"), tts: custom("mine") }), {
      status: 200,
      body: { agent_code: stage.agentCode, updated: true },
    });
    t.same(await shown(), {
      llm: { ...custom("mine"), available: true },
      tts: { ...custom("mine"), available: true },
    });
    await select({ llm: "default" }, { system_prompt: "Be brief." });
    t.same(await shown(), { tts: { ...custom("mine"), available: true } }, "absent kinds stay");

    const refused = (message: RegExp) => ({ status: 400, body: { error: { code: "VALIDATION_ERROR", message } } });
    t.match(await select({ stt: custom("nothing") }), refused(/providers\.stt: .*"nothing"/));
    t.match(await select({ llm: custom("eleven") }, { system_prompt: "No." }), refused(/providers\.llm: .*elevenlabs/));
    for (const choice of ["custom", { mode: "custom" }, 7, { mode: "own", provider_id: "mine" }]) {
      t.equal((await select({ llm: choice })).status, 400, JSON.stringify(choice));
    }
    t.match(await select({}), { status: 400, body: { error: { code: "MISSING_PARAM" } } });
    const { body } = await stage.api.call("GET", `/v1/agent/${stage.agentCode}`, { secret: stage.secret });
    t.match(body.data, { system_prompt: "Be brief.", providers: { tts: custom("mine") } }, "a refusal changes nothing");

    await put([]);
    t.same(await shown(), { tts: { ...custom("mine"), available: false } });
    await put([MINE]);
    t.same(await shown(), { tts: { ...custom("mine"), available: true } });
    await select({ tts: { mode: "default" } });
    t.equal(await shown(), undefined);

    const stranger = await stage.api.addAccount();
    const answer = await stage.api.call("POST", `/v1/agent/${stage.agentCode}`, {
      secret: stranger.secret,
      body: { providers: { llm: "default" } },
    });
    t.equal(answer.status, 404);
  });
});

t.test("keys reach the worker in the job description alone; a removed provider leaves it", async (t) => {
  await withSessions({}, async (stage) => {
    const { api, secret, userId } = stage;
    const { put, select, jobOf } = callsOf(stage);
    await put([MINE, { id: "bare", platform: "openai" }]);
    const before = await stage.converse("a visitor");
    t.equal((await jobOf(before)).providers, null);
    await select({ llm: custom("mine"), stt: custom("bare"), tts: custom("mine"), realtime: custom("mine") });
    const conversation = await stage.converse("another visitor");
    const mine = { provider_id: "mine", base_url: "https://a.example/v1", api_key: KEY };
    t.same((await jobOf(conversation)).providers, {
      llm: { ...mine, model: "m" },
      stt: { provider_id: "bare", base_url: "https://api.openai.com/v1", model: "whisper-1" },
      tts: { ...mine, model: "t", voice: "nova" },
      realtime: { ...mine, model: "gpt-realtime-mini", voice: "alloy" },
    });
    t.notMatch(JSON.stringify(conversation.worker.metadata), new RegExp(KEY), "not in the dispatch");
    for (const path of [`/v2/${userId}/runtime-sessions`, `/v1/agent/${stage.agentCode}`, "/v1/agents", "/v1/usage"]) {
      t.notMatch(JSON.stringify((await api.call("GET", path, { secret })).body), new RegExp(KEY), path);
    }
    await put([{ id: "mine", platform: "openai" }]);
    t.same(Object.keys((await jobOf(conversation)).providers), ["llm", "tts", "realtime"]);
    await put([]);
    t.same((await jobOf(conversation)).providers, {}, "the service's own parts are used");
  });
});

t.test("neither chat nor camera line is billed while a provider answers", async (t) => {
  await withSessions({ credits: 1000 }, async (stage) => {
    const { api, secret, userId } = stage;
    const conversation = await stage.converse("a visitor", { mind: "provider" });
    const { database } = api.services;
    const earlier = { created_at: new Date(Date.now() - 3_600_000) };
    await database.updateTable("avatar_sessions").set(earlier).where("id", "=", conversation.id).execute();
    const { id, token: bearer } = conversation;
    await api.call("POST", `/v1/runtime/sessions/${id}/beat`, {
      bearer,
      body: { seq: 1, served_seconds: 60, watched_seconds: 30 },
    });
    const { data } = (await api.call("GET", `/v2/${userId}/runtime-sessions?kind=conversations`, { secret })).body;
    t.match(data.sessions[0], { credits: 4, burn_rate_cr_per_min: 4 });
    await api.call("POST", `/v1/runtime-sessions/${id}/end`, { secret });
    t.equal((await balanceOf(database, userId)).total, 1000 - 4);
  });
});
