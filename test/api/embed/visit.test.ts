// Visitors of public agents, who need no token of the owner's.
import { decodeJwt } from "jose";
import t from "tap";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { buildWeb } from "../../../web/build.ts";
import { smallAvatar } from "../../helpers/faces/small-avatar.ts";
import { withLiveKit } from "../../helpers/livekit/with-livekit.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { readDispatch } from "../../helpers/service/control-room-worker.ts";
import { type TestApi, withApi, withIdleApi } from "../../helpers/service/with-api.ts";
import { acceptLaunches } from "../../helpers/service/with-sessions.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const TAB = "0123456789abcdef0123456789abcdef";
const DAY_MS = 86_400_000;

interface Owner {
  userId: string;
  secret: string;
  share(sharing: object): Promise<void>;
}

async function addOwner(api: TestApi, code = "nova"): Promise<Owner> {
  const { account, secret } = await api.addAccount({ credits: 1000 });
  await addAgent(api.services, { userId: account.userId, code });
  return {
    userId: account.userId,
    secret,
    async share(sharing) {
      const { status, body } = await api.call("PUT", `/v1/agent/${code}/sharing`, { secret, body: sharing });
      t.equal(status, 200, JSON.stringify(body));
    },
  };
}

const tabOf = (number: number): string => String(number).padStart(32, "0");

function visit(api: TestApi, agent = "nova", tab = TAB, ip?: string) {
  const headers = ip === undefined ? undefined : { "x-forwarded-for": ip };
  return api.call("POST", "/embed/visit", { body: { agent_id: agent, tab_id: tab }, headers });
}

t.test("a visitor of a public agent gets a token for as long as the agent is public", async (t) => {
  await withIdleApi(async (api) => {
    api.clock.hold();
    const owner = await addOwner(api);
    await addOwner(api, "private");
    const refused = await visit(api);
    t.match(refused, { status: 404, body: { error: { code: "NOT_FOUND" } } });
    t.same((await visit(api, "private")).body, refused.body, "no answer tells which agents exist");
    t.same((await visit(api, "unknown")).body, refused.body);
    t.equal((await visit(api, "nova", "short")).status, 400, "an id that can be guessed");

    await owner.share({ is_public: true });
    const { status, body, headers } = await visit(api);
    t.equal(status, 200);
    t.equal(headers.get("access-control-allow-origin"), null, "for our own page alone");
    t.equal(body.expires_at, Math.floor(api.clock.now() / 1000) + 3600);
    const claims = decodeJwt(body.token);
    t.match(claims, { agent: "nova", sub: owner.userId, endUserId: null });
    t.notOk("key" in claims, "no secret stands behind it");
    const describe = () => api.call("GET", "/embed/agent", { bearer: body.token });
    t.match(await describe(), { status: 200, body: { name: String } });
    const missing = await api.call("POST", "/embed/session", { bearer: body.token, body: {} });
    t.match(missing.body.error, { code: "MISSING_PARAM", message: /tab_id/ });

    await owner.share({ is_public: false });
    t.match(await describe(), { status: 404, body: refused.body }, "the token is refused at the next call");
    t.equal((await visit(api)).status, 404);
    await owner.share({ is_public: true });
    t.equal((await describe()).status, 200);
    t.equal((await api.call("DELETE", "/v1/agent/nova", { secret: owner.secret })).status, 200);
    t.equal((await describe()).status, 404, "it ends with its agent");
    t.equal((await visit(api)).status, 404);
  });
});

t.test("the picture of a public agent needs no token", async (t) => {
  await withIdleApi(async (api) => {
    const owner = await addOwner(api);
    const avatar = await smallAvatar();
    await api.services.storage.put("models/nova-essence-2.imx", await writeImx(avatar));
    const show = (code: string, headers?: Record<string, string>) =>
      fetch(`${api.baseUrl}/share/${code}/poster`, { headers, redirect: "manual" });
    const refused = await show("nova");
    t.equal(refused.status, 404);
    t.same((await refused.json()).error, (await (await show("unknown")).json()).error, "nothing tells which exist");

    await owner.share({ is_public: true });
    const shown = await show("nova");
    t.equal(shown.status, 200);
    t.equal(shown.headers.get("content-type"), "image/jpeg");
    t.equal(shown.headers.get("cross-origin-resource-policy"), "cross-origin", "for sites that isolate themselves");
    t.match(shown.headers.get("cache-control"), /^public, max-age=300,/, "another picture is seen soon");
    t.same(new Uint8Array(await shown.arrayBuffer()), avatar.poster);
    const again = await show("nova", { "if-none-match": shown.headers.get("etag") ?? "" });
    t.equal(again.status, 304);
    await api.services.storage.delete("models/nova-essence-2.imx");
    t.equal((await show("nova")).status, 404, "its file is gone");

    await addAgent(api.services, { userId: owner.userId, code: "photo", families: [] });
    const sharing = { secret: owner.secret, body: { is_public: true } };
    t.equal((await api.call("PUT", "/v1/agent/photo/sharing", sharing)).status, 200);
    const portrait = (await show("photo")).headers.get("location") ?? "";
    t.match(portrait, /^\/files\/portraits\/photo\.jpg\?/, "the portrait where no model has a file");
    t.equal((await fetch(`${api.baseUrl}${portrait}`)).status, 200);
    await owner.share({ is_public: false });
    t.equal((await show("nova")).status, 404);
  });
});

t.test("a visitor's token ends with the owner's runtime access", async (t) => {
  await withIdleApi(async (api) => {
    const owner = await addOwner(api);
    await owner.share({ is_public: true });
    const { token: bearer } = (await visit(api)).body;
    const { database } = api.services;
    await database.updateTable("api_secrets").set({ revoked_at: new Date() }).execute();
    t.equal((await api.call("GET", "/embed/agent", { bearer })).status, 200, "no secret of the owner's matters");
    await database.updateTable("accounts").set({ is_runtime_suspended: true }).execute();
    t.match((await api.call("GET", "/embed/agent", { bearer })).body.error, { code: "RUNTIME_SUSPENDED" });
  });
});

t.test(
  "the sites of a public agent may show its page; the setting of the account holds for the other page",
  async (t) => {
    await buildWeb();
    const policyOf = async (api: TestApi, path: string) =>
      (await api.call("GET", path)).headers.get("content-security-policy") ?? "";
    const work = async (api: TestApi) => {
      const owner = await addOwner(api);
      const none = await policyOf(api, "/share/nova");
      t.match(none, /, frame-ancestors 'self'$/, "no other site");
      t.equal(await policyOf(api, "/share/unknown"), none, "nothing tells which agents exist");
      await owner.share({ is_public: true, origins: ["https://shop.example", "https://*.shop.example:8443"] });
      const shared = await policyOf(api, "/share/nova");
      t.match(shared, /, frame-ancestors 'self' https:\/\/shop\.example https:\/\/\*\.shop\.example:8443$/);
      t.match(
        shared,
        /frame-ancestors 'self' https:\/\/operator\.example;/,
        "the operator's list stays the upper bound",
      );
      t.notMatch(await policyOf(api, "/embed/nova"), /shop\.example/);
      const page = await api.call("GET", "/share/nova");
      const files = [...page.body.matchAll(/(?:src|href)="\.\.\/(assets\/[^"]+)"/g)].map(([, path]) => `/${path}`);
      t.ok(files.length >= 2);
      for (const path of ["/share/nova", "/embed/nova", ...files]) {
        const { status, headers } = await api.call("GET", path);
        t.equal(status, 200, path);
        t.equal(headers.get("cross-origin-embedder-policy"), "require-corp", `${path} in a site that isolates itself`);
        t.equal(headers.get("cross-origin-resource-policy"), "cross-origin", path);
      }
      await owner.share({ is_public: false, origins: ["https://shop.example"] });
      t.equal(await policyOf(api, "/share/nova"), none, "sites of an agent that is not public do not count");
    };
    await withIdleApi(work, { environment: { AVATAR_FRAME_ANCESTORS: "https://operator.example" } });
  },
);

t.test("visits are limited by tab and by network address", async (t) => {
  await withIdleApi(
    async (api) => {
      const owner = await addOwner(api);
      await owner.share({ is_public: true });
      api.clock.hold();
      const count = async (answers: ReturnType<TestApi["call"]>[]) => {
        const statuses = (await Promise.all(answers)).map(({ status }) => status);
        return statuses.filter((status) => status === 200).length;
      };
      const times = (number: number, make: (index: number) => ReturnType<TestApi["call"]>) =>
        count(Array.from({ length: number }, (_, index) => make(index)));
      t.equal(await times(22, (index) => visit(api, "nova", TAB, `192.0.2.${index}`)), 20, "twenty of a tab");
      t.equal(await times(63, (index) => visit(api, "nova", tabOf(index), "198.51.100.1")), 60, "sixty of an address");
      const limited = await visit(api, "nova", tabOf(99), "198.51.100.1");
      t.match(limited, { status: 429, body: { error: { code: "RATE_LIMITED", message: /60 times a minute/ } } });
      t.ok(Number(limited.headers.get("retry-after")) >= 1);
    },
    { environment: { AVATAR_TRUST_PROXY: "1" } },
  );
});

t.test("public sessions are counted by day: those of the agent, and the minutes of a visitor", async (t) => {
  await withLiveKit(async (livekit) => {
    await withApi(
      async (api) => {
        api.clock.hold();
        const owner = await addOwner(api);
        await owner.share({ is_public: true, sessions_per_day: 3, visitor_minutes_per_day: 2 });
        const standIn = acceptLaunches(api, livekit);
        const { token: bearer } = (await visit(api)).body;
        const start = async (tab: string, ip = "192.0.2.1", token = bearer) =>
          api.call("POST", "/embed/session", {
            bearer: token,
            body: { tab_id: tab },
            headers: { "x-forwarded-for": ip },
          });
        const idOf = async (roomName: string) =>
          (
            await api.services.database
              .selectFrom("avatar_sessions")
              .select(["id", "secret_id"])
              .where("room_name", "=", roomName)
              .where("status", "<>", "ended")
              .executeTakeFirstOrThrow()
          ).id;
        const report = async (id: string, path: string, body: object) => {
          const token = (await readDispatch(livekit, id))?.runtime_token;
          return api.call("POST", `/v1/runtime/sessions/${id}/${path}`, { bearer: token, body });
        };

        const first = await start(tabOf(1));
        t.match(first, { status: 200, body: { room_name: String, remembers: false } });
        t.equal((await start(tabOf(1))).body.room_name, first.body.room_name, "a reload finds it, and counts once");
        const id = await idOf(first.body.room_name);
        t.equal((await report(id, "events", { event: "live" })).status, 200);
        api.clock.advance(119_000);
        t.match((await report(id, "beat", { seq: 1, served_seconds: 118 })).body, { stop: null });
        api.clock.advance(2_000);
        const over = await report(id, "beat", { seq: 2, served_seconds: 120 });
        t.match(over.body, { stop: { reason: "duration_limit" } }, "the visitor's minutes are used up");
        const again = await start(tabOf(1));
        t.match(again, {
          status: 429,
          body: { error: { code: "RATE_LIMITED", message: /all your minutes of today/ } },
        });
        const untilMidnightS = Math.ceil((DAY_MS - (api.clock.now() % DAY_MS)) / 1000);
        t.equal(Number(again.headers.get("retry-after")), untilMidnightS);

        const together = await Promise.all([2, 3, 4].map((number) => start(tabOf(number), "192.0.2.2")));
        t.same(together.map(({ status }) => status).sort(), [200, 200, 429], "three sessions of the agent's day");
        const refused = together.find(({ status }) => status === 429);
        t.match(refused?.body.error.message, /all its conversations of today/);
        const running = together.findIndex(({ status }) => status === 200) + 2;
        t.equal((await start(tabOf(running), "192.0.2.2")).status, 200, "one that runs is found");

        const mint = { agent_id: "nova", fingerprint: "f00d" };
        const own = await api.call("POST", "/v1/embed-tokens/request", { secret: owner.secret, body: mint });
        t.equal(
          (await start(tabOf(9), "192.0.2.3", own.body.data.token)).status,
          200,
          "the owner's tokens have no such limit",
        );

        api.clock.advance(DAY_MS);
        const tomorrow = (await visit(api)).body.token;
        t.equal((await start(tabOf(1), "192.0.2.1", tomorrow)).status, 200, "the next day all begin anew");
        const rows = await api.services.database.selectFrom("public_visits").selectAll().execute();
        t.equal(rows.length, 4);
        t.notMatch(JSON.stringify(rows), /192\.0|0000000000/, "neither addresses nor tabs are kept");
        t.equal(
          new Set(rows.map(({ visitor_digest }) => visitor_digest)).size,
          4,
          "a visitor has another digest each day",
        );
        await standIn.close();
      },
      { livekit, environment: { AVATAR_TRUST_PROXY: "1" } },
    );
  });
});

t.test("when sharing ends, running sessions of its visitors end, and the owner's own go on", async (t) => {
  await withLiveKit(async (livekit) => {
    await withApi(
      async (api) => {
        const owner = await addOwner(api);
        await owner.share({ is_public: true });
        const standIn = acceptLaunches(api, livekit);
        const { token: bearer } = (await visit(api)).body;
        const start = (token: string) => api.call("POST", "/embed/session", { bearer: token, body: { tab_id: TAB } });
        const ofVisitor = await start(bearer);
        const mint = { agent_id: "nova", fingerprint: "f00d" };
        const own = await api.call("POST", "/v1/embed-tokens/request", { secret: owner.secret, body: mint });
        const ofOwner = await start(own.body.data.token);
        t.same([ofVisitor.status, ofOwner.status], [200, 200]);
        await owner.share({ is_public: true, sessions_per_day: 5 });
        await owner.share({ is_public: false });
        t.equal((await start(bearer)).status, 404, "new ones are refused at once");
        const statusOf = async (roomName: string) =>
          (
            await api.services.database
              .selectFrom("avatar_sessions")
              .select(["status", "end_reason"])
              .where("room_name", "=", roomName)
              .executeTakeFirst()
          )?.status;
        await waitFor(
          async () => (await statusOf(ofVisitor.body.room_name)) === "ended",
          "the visitor's session to end",
        );
        t.not(await statusOf(ofOwner.body.room_name), "ended");
        await standIn.close();
      },
      { livekit },
    );
  });
});
