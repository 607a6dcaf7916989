// Embed tokens that a site shares among its visitors.
import { decodeJwt } from "jose";
import t from "tap";
import { withLiveKit } from "../../helpers/livekit/with-livekit.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { readDispatch } from "../../helpers/service/control-room-worker.ts";
import { type TestApi, withApi, withIdleApi } from "../../helpers/service/with-api.ts";
import { acceptLaunches } from "../../helpers/service/with-sessions.ts";

const MINT = "/v1/embed-tokens/request";
const TAB = "0123456789abcdef0123456789abcdef";
const OTHER_TAB = "fedcba9876543210fedcba9876543210";

t.test("a shared embed token names no visitor, and every other token names one", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount({ credits: 1000 });
    await addAgent(api.services, { userId: account.userId, code: "nova" });
    const mint = (body: object) => api.call("POST", MINT, { secret, body: { agent_id: "nova", ...body } });
    const { status, body } = await mint({ shared: true });
    t.match({ status, body }, { status: 200, body: { status: "success", data: { sid: String } } });
    t.match(decodeJwt(body.data.token), { agent: "nova", endUserId: null });
    t.match((await mint({})).body.error, { code: "MISSING_PARAM", message: /fingerprint/ });
    t.match((await mint({ shared: false })).body.error, { code: "MISSING_PARAM", message: /fingerprint/ });
    const both = await mint({ shared: true, fingerprint: "f00d" });
    t.match(both, { status: 400, body: { error: { code: "VALIDATION_ERROR", message: /fingerprint/ } } });
  });
});

t.test("with a shared token the room follows the tab, the address gives the visitor's name alone", async (t) => {
  await withLiveKit(async (livekit) => {
    await withApi(
      async (api) => {
        const { account, secret } = await api.addAccount({ credits: 1000 });
        await addAgent(api.services, { userId: account.userId, code: "nova" });
        const standIn = acceptLaunches(api, livekit);
        const mint = async (fields: object) =>
          (await api.call("POST", MINT, { secret, body: { agent_id: "nova", ...fields } })).body.data.token as string;
        const start = (bearer: string, body: object) => api.call("POST", "/embed/session", { bearer, body });
        const shared = await mint({ shared: true });

        t.match((await start(shared, { end_user_id: "ann" })).body.error, { code: "MISSING_PARAM", message: /tab_id/ });
        t.equal((await start(shared, { tab_id: "short" })).status, 400, "an id that can be guessed");
        const ann = await start(shared, { end_user_id: "ann", tab_id: TAB });
        t.match(ann, { status: 200, body: { room_name: /^room-nova-[0-9a-f]{16}$/, remembers: false } });
        const intruder = await start(shared, { end_user_id: "ann", tab_id: OTHER_TAB });
        t.equal(intruder.status, 200);
        t.not(intruder.body.room_name, ann.body.room_name, "naming another visitor opens no conversation of theirs");
        t.not(decodeJwt(intruder.body.token).sub, decodeJwt(ann.body.token).sub);
        const renamed = await start(shared, { end_user_id: "bob", tab_id: TAB });
        t.equal(renamed.body.room_name, ann.body.room_name, "the tab keeps its room");
        const hourLater = await start(await mint({ shared: true }), { end_user_id: "ann", tab_id: TAB });
        t.equal(hourLater.body.room_name, ann.body.room_name, "with the next shared token, too");

        const own = await mint({ fingerprint: "carl" });
        const carl = await start(own, { end_user_id: "ann", tab_id: TAB });
        t.not(carl.body.room_name, ann.body.room_name);
        t.equal(
          (await start(own, { tab_id: OTHER_TAB })).body.room_name,
          carl.body.room_name,
          "its token names the room",
        );
        t.equal(carl.body.remembers, true);

        const listed = await api.call("GET", `/v2/${account.userId}/runtime-sessions`, { secret });
        const sessions: { id: string; room_name: string; end_user_id: string }[] = listed.body.data.sessions;
        t.same(sessions.map(({ end_user_id }) => end_user_id).sort(), ["ann", "ann", "carl"]);
        const id = sessions.find(({ room_name }) => room_name === ann.body.room_name)?.id ?? "";
        const bearer = (await readDispatch(livekit, id))?.runtime_token;
        const job = await api.call("GET", `/v1/runtime/sessions/${id}/job`, { bearer });
        t.match(job.body, { end_user_id: "ann", earlier: null }, "the language model is told `user`, and no past");

        const say = (body: object) => api.call("POST", "/embed/say", { bearer: shared, body: { text: "Hi", ...body } });
        t.match((await say({})).body.error, { code: "MISSING_PARAM", message: /tab_id/ });
        t.match((await say({ tab_id: TAB })).body.error.message, /^No active rooms/, "it looks for the tab's room");
        await standIn.close();
      },
      { livekit, environment: { AVATAR_REMEMBER_VISITORS: "1" } },
    );
  });
});

t.test("a shared token is limited per visitor, per network address and per token", async (t) => {
  await withIdleApi(
    async (api) => {
      const { account, secret } = await api.addAccount({ credits: 1000 });
      await addAgent(api.services, { userId: account.userId, code: "nova" });
      const mint = async (fields: object) =>
        (await api.call("POST", MINT, { secret, body: { agent_id: "nova", ...fields } })).body.data.token as string;
      const shared = await mint({ shared: true });
      api.clock.hold();
      const say = (end_user_id: string, ip: string, bearer = shared) => {
        const body = { text: "Hi", end_user_id, tab_id: TAB };
        return api.call("POST", "/embed/say", { bearer, body, headers: { "x-forwarded-for": ip } });
      };
      const accepted = async (answers: ReturnType<TestApi["call"]>[]) => {
        const statuses = (await Promise.all(answers)).map(({ status }) => status);
        t.ok(statuses.every((status) => status === 404 || status === 429));
        return statuses.filter((status) => status === 404).length;
      };
      const times = (count: number, make: (index: number) => ReturnType<TestApi["call"]>) =>
        accepted(Array.from({ length: count }, (_, index) => make(index)));

      t.equal(await times(12, () => say("ann", "192.0.2.1")), 10, "ten messages of a visitor");
      t.equal((await say("ann", "192.0.2.2")).status, 429, "from any address");
      const own = await mint({ fingerprint: "ann" });
      t.equal((await say("", "192.0.2.3", own)).status, 404, "who is named by a token has another budget");
      t.equal(await times(60, (index) => say(`visitor ${index}`, "192.0.2.1")), 50, "sixty of an address");
      let total = 60;
      for (let address = 10; address < 20; address++) {
        total += await times(60, (index) => say(`${address} ${index}`, `192.0.2.${address}`));
      }
      t.equal(total, 600, "six hundred of a token");
      const next = await mint({ shared: true });
      t.equal((await say("zoe", "192.0.2.30", next)).status, 404, "another token has its own");
    },
    { environment: { AVATAR_TRUST_PROXY: "1" } },
  );
});
