import { decodeJwt } from "jose";
import t from "tap";
import { ensureOperatorAccount } from "../../../api/accounts/operator-account.ts";
import { buildWeb } from "../../../web/build.ts";
import { withLiveKit } from "../../helpers/livekit/with-livekit.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { readDispatch } from "../../helpers/service/control-room-worker.ts";
import { type TestApi, withApi } from "../../helpers/service/with-api.ts";
import { acceptLaunches } from "../../helpers/service/with-sessions.ts";

t.test(
  "an embed token starts one avatar session in one room; its visitor may listen, speak and type, but not control the room",
  async (t) => {
    await withLiveKit(async (livekit) => {
      await withApi(
        async (api) => {
          const { account, secret } = await api.addAccount({ credits: 1000 });
          await addAgent(api.services, { userId: account.userId, code: "nova" });
          const standIn = acceptLaunches(api, livekit);
          const mint = async (fingerprint = "abc") => {
            const body = { agent_id: "nova", fingerprint };
            return (await api.call("POST", "/v1/embed-tokens/request", { secret, body })).body.data;
          };
          const { token: bearer, sid } = await mint();
          const start = () => api.call("POST", "/embed/session", { bearer, body: {} });
          const started = await start();
          t.equal(started.status, 200);
          t.match(started.body, {
            livekit_url: livekit.url,
            room_name: /^room-nova-[0-9a-f]{16}$/,
            agent: { name: "Test agent" },
            disclosure: true,
            transcript_days: 30,
            remembers: false,
          });
          t.notOk(JSON.stringify(started.body.room_name).includes(sid));
          t.equal(started.headers.get("access-control-allow-origin"), "*");
          const visitor = decodeJwt(started.body.token);
          t.match(visitor, {
            video: {
              roomJoin: true,
              room: started.body.room_name,
              canSubscribe: true,
              canPublish: true,
              canPublishSources: ["microphone"],
              canPublishData: true,
              canUpdateOwnMetadata: false,
            },
          });
          t.notOk((visitor.video as { roomAdmin?: boolean }).roomAdmin);
          t.ok((visitor.exp ?? 0) - (visitor.nbf ?? 0) <= 3600);

          t.equal((await start()).body.room_name, started.body.room_name, "a page that is loaded again finds its room");
          const listed = await api.call("GET", "/v1/agent/nova/sessions", { secret });
          t.match(listed.body.sessions, [{ room_id: started.body.room_name }]);
          t.equal(listed.body.sessions.length, 1);
          const { token: secondBearer } = await mint();
          const second = await api.call("POST", "/embed/session", { bearer: secondBearer, body: {} });
          t.not(second.body.room_name, started.body.room_name, "another visitor gets another room");

          const greetingFor = async (fingerprint: string, greeting: unknown) => {
            const { token } = await mint(fingerprint);
            const { status, body } = await api.call("POST", "/embed/session", { bearer: token, body: { greeting } });
            t.equal(status, 200, String(greeting).slice(0, 20));
            const { id } = await api.services.database
              .selectFrom("avatar_sessions")
              .select("id")
              .where("room_name", "=", body.room_name)
              .executeTakeFirstOrThrow();
            const { runtime_token: bearer } = (await readDispatch(livekit, id)) ?? {};
            return (await api.call("GET", `/v1/runtime/sessions/${id}/job`, { bearer })).body;
          };
          t.match(await greetingFor("de", "de-AT"), {
            greeting: /^Hallo, ich bin Test agent/,
            greeting_language: "de-AT",
          });
          t.match(await greetingFor("none", "none"), { greeting: null }, "the page has words of its own");
          for (const [visitor, own] of Object.entries({
            a: "own",
            b: "en-GB",
            c: "xx",
            d: "de;x",
            e: "x".repeat(99),
            f: 7,
          })) {
            const job = await greetingFor(visitor, own);
            t.match(job, { greeting: /^Hello, I'm Test agent/ });
            t.notOk("greeting_language" in job, String(own).slice(0, 20));
          }

          for (const refused of [undefined, "x", secret, started.body.token]) {
            const answer = await api.call("POST", "/embed/session", { bearer: refused, body: {} });
            t.equal(answer.status, 401);
          }
          const say = (text: unknown) => api.call("POST", "/embed/say", { bearer, body: { text } });
          for (const text of ["", "  ", "x".repeat(501), 7, undefined]) t.equal((await say(text)).status, 400);
          t.match((await say("Hello")).body.error, {
            code: "NOT_FOUND",
            message: /^No active rooms found for agent nova/,
          });
          const { room_name, room_key } = started.body;
          const sayIn = async (room: object, token = secondBearer) =>
            (await api.call("POST", "/embed/say", { bearer: token, body: { text: "Hello", ...room } })).body.error
              .message;
          t.match(await sayIn({ room_name, room_key }), room_name, "a later token goes on in the room of the first");
          const { room_name: own } = second.body;
          for (const room of [{ room_name }, { room_name, room_key: "x" }, { room_name: own, room_key }, {}]) {
            t.match(await sayIn(room), own, "no room without its own key");
          }
          const listedRoom = await api.call("POST", "/embed/say", {
            bearer: secondBearer,
            body: { text: "Hello", room_name: "x".repeat(300), room_key },
          });
          t.equal(listedRoom.status, 400);
          api.clock.hold();
          let answer = await say("Hello");
          for (let count = 2; count < 12 && answer.status !== 429; count++) answer = await say("Hello");
          t.match(answer.body.error, { code: "RATE_LIMITED" });
          t.ok(Number(answer.headers.get("retry-after")) >= 1);
          const withSecondToken = { bearer: secondBearer, body: { text: "Hello" } };
          t.equal((await api.call("POST", "/embed/say", withSecondToken)).status, 429, "two tokens have one budget");
          const { token: otherVisitor } = await mint("def");
          const fromOther = await api.call("POST", "/embed/say", { bearer: otherVisitor, body: { text: "Hello" } });
          t.equal(fromOther.status, 404, "another visitor has a budget of their own");
          api.clock.release();
          t.equal((await api.call("OPTIONS", "/embed/say")).headers.get("access-control-allow-methods"), "POST");
          t.equal((await api.call("GET", "/v1/agents", { secret })).headers.get("access-control-allow-origin"), null);
          await standIn.close();
        },
        { livekit },
      );
    });
  },
);

t.test("callers are told LIVEKIT_PUBLIC_URL, and a launch that names it is in our own server's room", async (t) => {
  await withLiveKit(async (livekit) => {
    await withApi(
      async (api) => {
        const { account, secret } = await api.addAccount({ credits: 1000 });
        await addAgent(api.services, { userId: account.userId, code: "nova" });
        const standIn = acceptLaunches(api, livekit);
        const mint = { secret, body: { agent_id: "nova", fingerprint: "abc" } };
        const bearer = (await api.call("POST", "/v1/embed-tokens/request", mint)).body.data.token;
        const visit = await api.call("POST", "/embed/session", { bearer, body: {} });
        t.match(visit, { status: 200, body: { livekit_url: "wss://rooms.invalid" } });
        const page = await api.call("GET", "/embed/nova");
        t.match(page.headers.get("content-security-policy"), "wss://rooms.invalid https://rooms.invalid");
        const grant = { identity: "avatar", roomName: "r", ttlSeconds: 60 };
        const launch = async (url: string) => {
          const livekit_token = await api.services.livekit.mintJoinToken(grant);
          const body = { mode: "gpu", agent_id: "nova", livekit_url: url, livekit_token, room_name: "r" };
          return api.call("POST", "/v1/runtime-tokens/request", { secret, body });
        };
        // Nothing resolves .invalid: the address is not looked up, and the token's signature is checked.
        const launched = await launch("https://Rooms.invalid/");
        t.equal(launched.status, 200);
        t.equal((await launch(livekit.url)).body.session_id, launched.body.session_id, "both are the same server");
        const rows = await api.services.database
          .selectFrom("avatar_sessions")
          .select("livekit_url")
          .distinct()
          .execute();
        t.same(rows, [{ livekit_url: livekit.url }], "workers get the address that they reach");
        await standIn.close();
      },
      { livekit, environment: { LIVEKIT_PUBLIC_URL: "https://rooms.invalid" } },
    );
  });
});

t.test("the page's address names the model and the visitor; ending the session closes the room", async (t) => {
  await withLiveKit(async (livekit) => {
    await withApi(
      async (api) => {
        const { account, secret } = await api.addAccount({ credits: 1000, plan: "business" });
        await addAgent(api.services, { userId: account.userId, code: "nova", families: ["essence-1", "expression-2"] });
        const standIn = acceptLaunches(api, livekit);
        const mint = async (changes = {}) => {
          const body = { agent_id: "nova", fingerprint: "abc", ...changes };
          return (await api.call("POST", "/v1/embed-tokens/request", { secret, body })).body.data.token;
        };
        const bearer = await mint();
        const start = (body: object, token = bearer) => api.call("POST", "/embed/session", { bearer: token, body });
        const sessions = async (): Promise<{ id: string; room_name: string; billing_type: string }[]> =>
          (await api.call("GET", `/v2/${account.userId}/runtime-sessions`, { secret })).body.data.sessions;
        const modelOf = async (roomName: string) =>
          (await sessions()).find(({ room_name }) => room_name === roomName)?.billing_type;

        const plain = await start({ model: "essence-9", end_user_id: "forged" });
        t.equal(await modelOf(plain.body.room_name), "usage_essence_model_cloud", "an unknown model is left out");
        t.match(await sessions(), [{ end_user_id: "abc" }], "the token names the visitor");
        t.equal((await start({})).body.room_name, plain.body.room_name);
        t.match((await start({ model: "essence-2" })).body.error, { code: "MODEL_NOT_GENERATED" });
        t.match((await start({ model: "expression-2-cpu" })).body.error, { code: "FORBIDDEN", message: /costs more/ });
        t.equal((await start({ model: "x".repeat(61) })).status, 400);
        const fixed = await start({ model: "essence-1" }, await mint({ model: "expression-2" }));
        t.equal(await modelOf(fixed.body.room_name), "usage_expression_2_model_cloud", "the token's own model counts");
        const named = await start({ model: "essence-1" });
        t.not(named.body.room_name, plain.body.room_name, "each model has a room of its own");
        const say = await api.call("POST", "/embed/say", { bearer, body: { text: "Hello", model: "essence-2" } });
        t.match(say.body.error, { code: "MODEL_NOT_GENERATED" });

        const roomName: string = plain.body.room_name;
        const room = async () => (await livekit.rooms.listRooms([roomName])).length;
        await livekit.rooms.createRoom({ name: roomName });
        const id = (await sessions()).find(({ room_name }) => room_name === roomName)?.id;
        const terminate = () => api.call("POST", `/v2/${account.userId}/runtime-sessions/${id}/terminate`, { secret });
        t.equal(await room(), 1);
        t.match((await terminate()).body.data, { closed: true, ended: true, self_hosted: false });
        t.equal(await room(), 0);
        t.match((await terminate()).body.data, { ended: true }, "repeatable");

        const again = (await sessions()).find(({ room_name }) => room_name === named.body.room_name)?.id ?? "";
        const dispatch = await readDispatch(livekit, again);
        await livekit.rooms.createRoom({ name: named.body.room_name });
        const body = { event: "ended", reason: "model_failed", served_seconds: 1 };
        const events = `/v1/runtime/sessions/${again}/events`;
        t.equal((await api.call("POST", events, { bearer: dispatch?.runtime_token, body })).status, 200);
        t.same(
          await livekit.rooms.listRooms([named.body.room_name]),
          [],
          "an avatar that fails leaves no visitor alone",
        );
        await standIn.close();
      },
      { livekit },
    );
  });
});

t.test("pages have a strict Content-Security-Policy, and no path leads out of their folder", async (t) => {
  await buildWeb();
  const environment = { AVATAR_FRAME_ANCESTORS: "https://shop.example" };
  await withApi(
    async (api) => {
      const page = await api.call("GET", "/embed/anything?token=abc");
      t.equal(page.status, 200);
      const policy = page.headers.get("content-security-policy") ?? "";
      t.match(policy, /frame-ancestors 'self' https:\/\/shop\.example/, "the start page may always show it");
      t.match(policy, /connect-src 'self' ws:\/\/127\.0\.0\.1:9 http:\/\/127\.0\.0\.1:9;/);
      t.match(policy, /script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self';/, "it may render");
      t.match(policy, /img-src 'self' data:;/);
      t.notMatch(policy.replace("'wasm-unsafe-eval'", ""), /unsafe|blob:(?! mediastream:)/, "and nothing else");
      t.equal(page.headers.get("referrer-policy"), "no-referrer");
      t.notMatch(page.body, /abc|<script>|style="/, "nothing from the address, nothing inline");
      const files = [...page.body.matchAll(/(?:src|href)="\.\.\/(assets\/[^"]+)"/g)].map(([, path]) => path);
      t.ok(files.length >= 2);
      for (const path of files) {
        const asset = await api.call("GET", `/${path}`);
        t.equal(asset.status, 200);
        t.match(asset.headers.get("cache-control"), /immutable/);
        t.equal(asset.headers.get("vary"), "Accept-Encoding");
        for (const encoding of ["br", "gzip", "identity"]) {
          const sent = await api.call("GET", `/${path}`, { headers: { "accept-encoding": encoding } });
          t.equal(sent.headers.get("content-encoding"), encoding === "identity" ? null : encoding);
          t.equal(sent.body, asset.body, "the same file in every form");
          t.match(sent.headers.get("content-security-policy"), /connect-src 'self'$/, "also if it runs as a worker");
        }
      }
      const home = await api.call("GET", "/");
      t.match(home.body, /<!doctype html>/i);
      t.match(
        home.headers.get("content-security-policy"),
        /script-src 'self' 'wasm-unsafe-eval'; worker-src 'self';.*blob:; frame-src 'self'; .*connect-src 'self'; frame-ancestors 'none'/,
        "it makes faces and shows pages of this service, and no site shows it",
      );
      t.match(home.headers.get("permissions-policy"), /camera=\(self\)/);
      const mark = await api.call("GET", "/mark/anything");
      t.match(mark.headers.get("content-security-policy"), /frame-ancestors 'self'/);
      t.match(mark.headers.get("permissions-policy"), /camera=\(\)/);
      const local = await api.call("GET", "/local");
      const localPolicy = local.headers.get("content-security-policy") ?? "";
      t.match(localPolicy, /script-src 'self' 'wasm-unsafe-eval';.*connect-src 'self';.*frame-ancestors 'none'/);
      t.notMatch(localPolicy, /'unsafe-/, "WebAssembly may be compiled, script may not");
      for (const [, path] of local.body.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)) {
        t.equal((await api.call("GET", path)).status, 200, path);
      }
      for (const path of ["..%2findex.html", "%2e%2e%2f%2e%2e%2fpackage.json", ".env", "nothing.js", "x.ts"]) {
        t.equal((await api.call("GET", `/assets/${path}`)).status, 404, path);
      }
    },
    { environment },
  );
});

t.test(
  "an account limits the sites that may frame its embed pages; the operator's list stays the upper bound",
  async (t) => {
    const policyOf = async (api: TestApi, path: string) =>
      (await api.call("GET", path)).headers.get("content-security-policy") ?? "";
    await withApi(async (api) => {
      const { account, secret } = await api.addAccount();
      await addAgent(api.services, { userId: account.userId, code: "nova" });
      const path = `/v2/${account.userId}/embed-settings`;
      const set = (frameAncestors: unknown) =>
        api.call("PUT", path, { secret, body: { frame_ancestors: frameAncestors } });
      t.match((await api.call("GET", path, { secret })).body, { success: true, data: { frame_ancestors: null } });
      t.match(await policyOf(api, "/embed/nova"), /frame-ancestors \*;/, "any site, until the account says otherwise");
      const page = await api.call("GET", "/embed/nova");
      t.match(page.headers.get("permissions-policy"), /microphone=\(self\).*camera=\(self\)/);
      const sites = ["https://shop.example", "https://*.shop.example:8443"];
      t.same((await set(sites)).body.data, { frame_ancestors: sites });
      t.match(
        await policyOf(api, "/embed/nova"),
        /frame-ancestors \*; .*, frame-ancestors 'self' https:\/\/shop\.example https/,
      );
      t.notMatch(await policyOf(api, "/embed/other"), /shop/, "other accounts' pages stay as they are");
      for (const bad of ["*", ["*"], ["shop.example"], ["https://a.example; script-src *"], ["javascript:x"], []]) {
        const { status, body } = await set(bad);
        t.match({ status, body }, { status: 400, body: { error: { code: "VALIDATION_ERROR" } } }, JSON.stringify(bad));
      }
      t.same(
        (await api.call("GET", path, { secret })).body.data,
        { frame_ancestors: sites },
        "refusals change nothing",
      );
      const stranger = await api.addAccount();
      t.equal((await api.call("PUT", path, { secret: stranger.secret, body: { frame_ancestors: null } })).status, 403);
      t.same((await set(null)).body.data, { frame_ancestors: null });
      t.notMatch(await policyOf(api, "/embed/nova"), /shop/);
    });
  },
);

t.test(
  "the demo is open only to this machine, or to everyone with AVATAR_DEMO, and runs at most four sessions at a time",
  async (t) => {
    const addDemo = async (api: TestApi) => {
      const secret = "operator-secret-operator-secret-operator";
      const operator = await ensureOperatorAccount({ database: api.services.database, secret, now: new Date() });
      await addAgent(api.services, { userId: operator.userId, code: "demo" });
      return operator;
    };
    const fromElsewhere = { headers: { "x-forwarded-for": "203.0.113.7" } };
    const demoToken = async (api: TestApi, options = {}) =>
      (await api.call("GET", "/demo", options)).headers.get("location")?.split("#token=")[1] ?? "";
    await withLiveKit(async (livekit) => {
      await withApi(
        async (api) => {
          t.match((await api.call("GET", "/demo")).body.error, { code: "NOT_FOUND" });
          const operator = await addDemo(api);
          const answer = await api.call("GET", "/demo");
          t.equal(answer.status, 302);
          t.equal(answer.headers.get("cache-control"), "no-store");
          t.match(answer.headers.get("location"), /^\/embed\/demo#token=/);
          t.match(decodeJwt(await demoToken(api)), { agent: "demo", sub: operator.userId });
          const inGerman = await api.call("GET", "/demo?lang=de");
          t.match(inGerman.headers.get("location"), /^\/embed\/demo\?lang=de#token=/, "in the visitor's language");
          const inNone = await api.call("GET", `/demo?lang=${encodeURIComponent("de#token=x")}`);
          t.match(inNone.headers.get("location"), /^\/embed\/demo#token=ey/, "what is no language is left out");
          t.match((await api.call("GET", "/demo", fromElsewhere)).body.error, { code: "FORBIDDEN" });
          const standIn = acceptLaunches(api, livekit);
          const tokens = await Promise.all(Array.from({ length: 6 }, () => demoToken(api)));
          const start = (bearer: string) => api.call("POST", "/embed/session", { bearer, body: {} });
          const started = await Promise.all(tokens.map(start));
          t.same(
            started.map(({ status }) => status).sort(),
            [200, 200, 200, 200, 503, 503],
            "requests at the same time",
          );
          const taken = started.findIndex(({ status }) => status === 200);
          t.equal((await start(tokens[taken])).status, 200, "who has a place keeps it");
          const refused = started.find(({ status }) => status === 503);
          t.ok(Number(refused?.headers.get("retry-after")) >= 1);
          await standIn.close();
        },
        { livekit },
      );
    });
    await withApi(
      async (api) => {
        await addDemo(api);
        t.match((await api.call("GET", "/demo")).body.error, { code: "FORBIDDEN" }, "behind a proxy no peer is known");
      },
      { environment: { PUBLIC_URL: "https://avatars.example" } },
    );
    await withApi(
      async (api) => {
        await addDemo(api);
        const { status, headers } = await api.call("GET", "/demo", fromElsewhere);
        t.equal(status, 302);
        t.equal(headers.get("x-ratelimit-limit"), "120", "each address has the address tier's budget");
      },
      { environment: { PUBLIC_URL: "https://avatars.example", AVATAR_DEMO: "1" } },
    );
  },
);
