// Signing in to the console, its cookie, and the routes that the cookie opens.
import t from "tap";
import { revokeSecret } from "../../../../api/accounts/secrets/secret-store.ts";
import { sweepConsole } from "../../../../api/accounts/sign-in/console-sweep.ts";
import { insertAvatarSession } from "../../../../api/sessions/record/avatar-session-store.ts";
import { addAgent } from "../../../helpers/service/add-agent.ts";
import { newSession } from "../../../helpers/service/new-session.ts";
import { browserWith, cookieOf, makeLink, OWN_PAGE, sendProof, signIn } from "../../../helpers/service/sign-in.ts";
import { withIdleApi } from "../../../helpers/service/with-api.ts";

const HOUR_MS = 3_600_000;
const error = (status: number, code: string) => ({ status, body: { error: { code } } });

t.test("a link signs in once, within ten minutes, and a GET does not use it up", async (t) => {
  await withIdleApi(async (api) => {
    api.clock.hold();
    const { account } = await api.addAccount();
    const link = await makeLink(api, account.userId);
    const page = await api.call("GET", "/console/sign-in", { headers: { accept: "text/html" } });
    t.notOk(page.headers.get("set-cookie"), "the page itself signs no one in");
    const answer = await sendProof(api, { link });
    t.match(answer, { status: 200, body: { signed_in: true } });
    const set = answer.headers.get("set-cookie") ?? "";
    for (const part of [/; HttpOnly/, /; SameSite=Strict/, /; Path=\//, /; Max-Age=43200/]) t.match(set, part);
    t.notMatch(set, /Secure/, "over plain HTTP on this machine");
    t.match(await browserWith(api, cookieOf(answer)).call("GET", "/console/session"), {
      status: 200,
      body: { signed_in: true, user_id: account.userId, email: account.email, plan: "Pro" },
    });

    t.match(await sendProof(api, { link }), error(401, "UNAUTHORIZED"), "the same link again");
    t.match(await sendProof(api, { link: "x".repeat(43) }), error(401, "UNAUTHORIZED"), "a link that no one made");
    const late = await makeLink(api, account.userId);
    api.clock.advance(10 * 60_000);
    t.match(await sendProof(api, { link: late }), error(401, "UNAUTHORIZED"), "after ten minutes");
    t.match(await sendProof(api, {}), error(400, "VALIDATION_ERROR"));
    t.match(await sendProof(api, { link: late, secret: "x" }), error(400, "VALIDATION_ERROR"));

    const { rows } = await api.services.pool.query("select encode(cookie_sha256, 'hex') as hash from console_sessions");
    t.match(rows, [{ hash: /^[0-9a-f]{64}$/ }], "the database has the hash alone");
  });
});

t.test("behind HTTPS the cookie is for HTTPS and this host only", async (t) => {
  await withIdleApi(
    async (api) => {
      const { account } = await api.addAccount();
      const answer = await sendProof(api, { link: await makeLink(api, account.userId) });
      t.match(answer.headers.get("set-cookie"), /^__Host-avatar-console=[\w-]{43}; Path=\/; HttpOnly; Secure; /);
      t.match(await browserWith(api, cookieOf(answer)).call("GET", "/console/api/v1/agents"), { status: 200 });
    },
    { environment: { PUBLIC_URL: "https://avatars.example" } },
  );
});

t.test("a session ends 12 h after its last use, by signing out, and when it is revoked", async (t) => {
  await withIdleApi(async (api) => {
    api.clock.hold();
    const { account, secret } = await api.addAccount();
    const browser = await signIn(api, account.userId);
    const agents = () => browser.call("GET", "/console/api/v1/agents");
    api.clock.advance(11 * HOUR_MS);
    t.equal((await agents()).status, 200);
    api.clock.advance(11 * HOUR_MS);
    t.equal((await agents()).status, 200, "its use has prolonged it");

    const other = await signIn(api, account.userId);
    const { data } = (await browser.call("GET", "/console/sign-ins")).body;
    t.match(data, [
      { method: "link", address: "127.0.0.1" },
      { method: "link", address: "127.0.0.1" },
    ]);
    const foreign = await signIn(api, (await api.addAccount()).account.userId);
    const { id } = data.find((session: { is_current: boolean }) => !session.is_current);
    t.match(await foreign.call("DELETE", `/console/sign-ins/${id}`), error(404, "NOT_FOUND"), "of another account");
    t.match(await browser.call("DELETE", `/console/sign-ins/${id}`), { status: 200, body: { id } });
    t.match(await other.call("GET", "/console/api/v1/agents"), error(401, "UNAUTHORIZED"));
    t.match(await browser.call("DELETE", "/console/sign-ins/none"), error(404, "NOT_FOUND"));

    const out = await browser.call("DELETE", "/console/session");
    t.match(out, { status: 200, body: { signed_in: false } });
    t.match(out.headers.get("set-cookie"), /^avatar-console=; .*Max-Age=0/);
    t.match(await agents(), error(401, "UNAUTHORIZED"), "the cookie of before");
    const ended = await browser.call("GET", "/console/session");
    t.match(ended.body, { signed_in: false, issuer: null, session_ended: true }, "who has its cookie is told so");
    t.match(await api.call("GET", "/console/session", { headers: OWN_PAGE }), { body: { session_ended: false } });

    const last = await signIn(api, account.userId);
    api.clock.advance(12 * HOUR_MS);
    t.match(await last.call("GET", "/console/api/v1/agents"), error(401, "UNAUTHORIZED"), "after 12 h without use");
    const listed = await api.call("GET", `/v2/${account.userId}/api-secrets`, { secret });
    t.same(
      listed.body.data.map(({ alias }: { alias: string }) => alias),
      ["test"],
      "no secret of a session is listed",
    );
  });
});

t.test("a pasted secret signs in, and its revocation ends the session", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount();
    const browser = browserWith(api, cookieOf(await sendProof(api, { secret: ` ${secret} ` })));
    t.match((await browser.call("GET", "/console/session")).body, { signed_in: true, email: account.email });
    t.equal((await browser.call("GET", "/console/api/v1/agents")).status, 200);
    t.match(await sendProof(api, { secret: `${secret}0` }), error(401, "UNAUTHORIZED"));
    await revokeSecret(api.services.database, account.userId, "test", new Date());
    t.match(await browser.call("GET", "/console/api/v1/agents"), error(401, "UNAUTHORIZED"));
    t.match(await sendProof(api, { secret }), error(401, "UNAUTHORIZED"), "a revoked secret");
    for (let wrong = 0; wrong < 30; wrong++) await sendProof(api, { secret: "x" });
    t.match(await sendProof(api, { secret: "x" }), error(429, "RATE_LIMITED"), "guesses are limited");
  });
});

t.test("public routes do not read the cookie, and the console's take nothing else", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount();
    const browser = await signIn(api, account.userId);
    t.match(await browser.call("GET", "/v1/agents"), error(401, "MISSING_AUTH"), "the cookie on a public route");
    const bySecret = await api.call("GET", "/console/api/v1/agents", { secret, headers: OWN_PAGE });
    t.match(bySecret, error(401, "MISSING_AUTH"), "a secret on a route of the console");
    const forged = browserWith(api, `avatar-console=${"A".repeat(43)}`);
    t.match(await forged.call("GET", "/console/api/v1/agents"), error(401, "UNAUTHORIZED"), "a forged cookie");
    const long = browserWith(api, `avatar-console=${"A".repeat(5000)}`);
    t.match(await long.call("GET", "/console/api/v1/agents"), error(401, "UNAUTHORIZED"));
    t.match(await browser.call("GET", "/console/api/v1/nothing"), error(404, "NOT_FOUND"));
  });
});

t.test("requests of other sites are refused, and bodies that a form could send", async (t) => {
  await withIdleApi(async (api) => {
    const { account } = await api.addAccount();
    const { cookie } = await signIn(api, account.userId);
    const path = "/console/api/v1/webhooks";
    const post = (headers: Record<string, string>, body: unknown = {}) =>
      api.call("POST", path, { headers: { cookie, ...headers }, body });
    const foreign = error(403, "FORBIDDEN");
    for (const site of ["cross-site", "same-site", "none"]) {
      t.match(await post({ "sec-fetch-site": site }), foreign, site);
      t.match(await api.call("GET", path, { headers: { cookie, "sec-fetch-site": site } }), foreign, `GET, ${site}`);
      const link = await makeLink(api, account.userId);
      t.match(await sendProof(api, { link }, { "sec-fetch-site": site }), foreign, `signing in, ${site}`);
      t.match(await sendProof(api, { link }), { status: 200 }, "a refused request has not used the link up");
    }
    t.match(await post({}), foreign, "no header says where it comes from");
    t.match(await post({ origin: "https://elsewhere.example" }), foreign, "an older browser, from elsewhere");
    t.match(await post({ origin: "null" }), foreign);
    t.match(await post({ origin: api.baseUrl }), error(400, "MISSING_PARAM"), "an older browser, from here");
    t.match(await post(OWN_PAGE), error(400, "MISSING_PARAM"), "the body lacks its fields");
    const types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"];
    for (const type of types) {
      t.match(await post({ ...OWN_PAGE, "content-type": type }, "{}"), error(415, "UNSUPPORTED_TYPE"), type);
    }
    const bodyless = `/console/api/v1/runtime-sessions/none/end`;
    const sent = { headers: { cookie, ...OWN_PAGE, "content-type": "text/plain" }, body: "{}" };
    t.match(await api.call("POST", bodyless, sent), error(415, "UNSUPPORTED_TYPE"), "a route without a body too");
    const page = await api.call("GET", "/console");
    if (page.status === 200) {
      t.match(page.headers.get("content-security-policy"), /frame-ancestors 'none'/, "no site can frame the console");
    }
  });
});

t.test("what is open to whom: organizations by role, Free accounts, suspended accounts", async (t) => {
  await withIdleApi(async (api) => {
    const { account } = await api.addAccount();
    const browser = await signIn(api, account.userId);
    const bases = "/console/api/v1/knowledge/kbs";
    const { id } = (await browser.call("POST", "/console/api/v2/organizations", { body: { name: "Museum" } })).body;
    t.match(await browser.call("GET", bases), error(403, "FORBIDDEN"), "for no organization");
    const acting = { "x-service-organization": id };
    t.match(await browser.call("GET", bases, { headers: acting }), { status: 200 }, "for an own organization");
    const stranger = await signIn(api, (await api.addAccount()).account.userId);
    t.match(await stranger.call("GET", bases, { headers: acting }), error(403, "FORBIDDEN"), "for a foreign one");
    const nonsense = { "x-service-organization": "none" };
    t.match(await browser.call("GET", bases, { headers: nonsense }), error(403, "FORBIDDEN"));

    const issue = { headers: acting, body: { alias: "kiosk" } };
    const issued = await browser.call("POST", `/console/api/v2/organizations/${id}/api-secrets`, issue);
    t.match(issued, { status: 200 }, "who acts for an organization stays the person who signed in");
    const { secret } = issued.body;
    const kiosk = browserWith(api, cookieOf(await sendProof(api, { secret })));
    t.match(await kiosk.call("GET", bases), { status: 200 }, "the secret of an organization acts for it");
    t.match(await kiosk.call("GET", `/console/api/v2/${account.userId}/api-secrets`), error(403, "FORBIDDEN"));
    t.match(await kiosk.call("GET", "/console/sign-ins"), error(403, "FORBIDDEN"), "and not for the person");
    const another = { body: { alias: "another" } };
    const refused = await kiosk.call("POST", `/console/api/v2/organizations/${id}/api-secrets`, another);
    t.match(refused, error(403, "FORBIDDEN"), "nor can it issue secrets");

    const { account: free } = await api.addAccount({ plan: "free" });
    const visitor = await signIn(api, free.userId);
    t.match(await visitor.call("GET", "/console/api/v1/agents"), { status: 200 }, "a Free account may look around");
    const create = { body: { model: "essence-2", prompt: "Hi." } };
    t.match(await visitor.call("POST", "/console/api/v1/agent/generate", create), error(403, "PLAN_REQUIRED"));
  });
});

t.test("without credits, talking in the console is PAYWALL; creation and talking by secret are not", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount();
    const browser = await signIn(api, account.userId);
    const agent_id = await addAgent(api.services, { userId: account.userId });
    const mint = { body: { agent_id, fingerprint: "abc" } };
    const talk = async (token: string) => api.call("POST", "/embed/session", { bearer: token, body: {} });
    const own = await browser.call("POST", "/console/api/v1/embed-tokens/request", mint);
    const refused = await talk(own.body.data.token);
    t.match(refused, error(402, "PAYWALL"));
    t.match(refused.body.error.topup_url, /\/account\/credits$/);
    const bySecret = await api.call("POST", "/v1/embed-tokens/request", { secret, ...mint });
    t.match(await talk(bySecret.body.data.token), error(402, "INSUFFICIENT_BALANCE"));
    const create = { body: { model: "essence-2", prompt: "Hi." } };
    for (const [path, body] of [
      ["/v1/agent/generate", create.body],
      ["/v1/dynamics/generate", { agent_id, actions: ["wave"] }],
    ] as const) {
      const answer = await browser.call("POST", `/console/api${path}`, { body });
      t.not(answer.body.error?.code, "PAYWALL", path);
    }
    t.match(await browser.call("POST", "/console/api/v1/agent/generate", create), error(402, "INSUFFICIENT_BALANCE"));
  });
});

t.test(
  "secrets of ended console sessions go after a day, unless something that runs or a record names them",
  async (t) => {
    await withIdleApi(async (api) => {
      api.clock.hold();
      const { pool, database, now } = api.services;
      const { account, secret } = await api.addAccount();
      const { userId } = account;
      const sweep = () => sweepConsole(database, new Date(now()));
      const begun: Record<string, string> = {};
      const people = ["looks", "talks", "talked", "links", "calls", "paid", "revoked", "pasted", "stays"];
      const last = await signIn(api, userId);
      for (const name of people) {
        const browser =
          name === "pasted" ? browserWith(api, cookieOf(await sendProof(api, { secret }))) : await signIn(api, userId);
        const { session_id } = (await browser.call("GET", "/console/session")).body;
        const { rows } = await pool.query("select secret_id from console_sessions where id = $1", [session_id]);
        begun[name] = rows[0].secret_id;
        if (name === "revoked") await last.call("DELETE", `/console/sign-ins/${session_id}`);
        else if (name !== "stays") await browser.call("DELETE", "/console/session");
      }
      const link = "insert into embed_links values ($1, $2, $3, 'a', null, now(), $4)";
      await pool.query(link, ["valid", userId, begun.links, new Date(now() + 1000 * HOUR_MS)]);
      await pool.query(link, ["expired", userId, begun.looks, new Date(now() - 1)]);
      await insertAvatarSession(database, newSession({ userId, secretId: begun.talks }));
      const { id } = await insertAvatarSession(database, newSession({ userId, secretId: begun.talked }));
      const endAll = () =>
        pool.query("update avatar_sessions set status = 'ended', ended_at = now() where status <> 'ended'");
      await pool.query("update avatar_sessions set status = 'ended', ended_at = now() where id = $1", [id]);
      await pool.query("insert into realtime_calls values ('call', $1, $2, gen_random_uuid(), 'm', now(), now())", [
        userId,
        begun.calls,
      ]);
      await pool.query(
        `insert into credit_movements (user_id, from_account, to_account, amount_credits, reason, reference, created_at, secret_id)
       values ($1, 'plan', 'income', 1, 'test', 'test', now(), $2)`,
        [userId, begun.paid],
      );
      const left = async (isRevoked: boolean) => {
        const { rows } = await pool.query("select id from api_secrets where (revoked_at is not null) = $1", [
          isRevoked,
        ]);
        const ids = rows.map((row: { id: string }) => row.id);
        return people.filter((name) => ids.includes(begun[name]));
      };

      t.strictSame(await sweep(), { removed: 0, revoked: 0 });
      api.clock.advance(23 * HOUR_MS);
      t.strictSame(await sweep(), { removed: 0, revoked: 0 }, "tokens of these sessions may still be valid");
      api.clock.advance(HOUR_MS);
      t.strictSame(await sweep(), { removed: 2, revoked: 2 });
      t.strictSame(await left(false), ["talks", "links", "calls", "pasted", "stays"]);
      t.strictSame(await left(true), ["talked", "paid"]);
      t.equal((await pool.query("select from console_sessions")).rowCount, 0, "the other sessions are over by time");

      await endAll();
      await pool.query("delete from realtime_calls");
      api.clock.advance(24 * HOUR_MS);
      // Those of the two sessions that ended by time, and of the call.
      t.strictSame(await sweep(), { removed: 3, revoked: 1 });
      t.strictSame(await left(false), ["links", "pasted"]);
      t.strictSame(await left(true), ["talks", "talked", "paid"]);
      t.equal((await pool.query("select from embed_links where code = 'valid'")).rowCount, 1);
      t.strictSame(await sweep(), { removed: 0, revoked: 0 }, "those that stay are not looked at again");
    });
  },
);

t.test("a sweep settles a bounded number of secrets", async (t) => {
  await withIdleApi(async (api) => {
    const { account } = await api.addAccount();
    const at = new Date(api.services.now());
    await api.services.pool.query(
      `insert into api_secrets (user_id, alias, secret_sha256, last_four, created_at, is_console, unheld_since)
       select $1, 'console:' || n, n::text::bytea, '', now(), true, '2020-01-01' from generate_series(1, 45) n`,
      [account.userId],
    );
    const counts: number[] = [];
    for (let round = 0; round < 4; round++) counts.push((await sweepConsole(api.services.database, at)).removed);
    t.strictSame(counts, [20, 20, 5, 0]);
  });
});
