// API secrets over REST: issued, listed, never shown again, revoked at once, and not visible to other accounts.
import t from "tap";
import { addAgent } from "../../../helpers/service/add-agent.ts";
import { withIdleApi } from "../../../helpers/service/with-api.ts";

t.test("a secret is issued, shown once, listed masked, and revoked at once", async (t) => {
  await withIdleApi(async (api) => {
    api.clock.hold();
    const { account, secret } = await api.addAccount();
    const path = `/v2/${account.userId}/api-secrets`;
    const issued = await api.call("POST", path, { secret, body: { alias: "cli@desk.local" } });
    t.same(Object.keys(issued.body).sort(), ["alias", "secret"]);
    t.match(issued, { status: 200, body: { alias: "cli@desk.local", secret: /^.{65}$/ } });
    const second: string = issued.body.secret;
    t.same((await api.call("POST", "/v1/validate", { secret: second })).body, { valid: true });

    const unnamed = await api.call("POST", path, { secret: second, body: {} });
    t.match(unnamed, { status: 200, body: { alias: /^secret-[0-9a-f]{8}$/ } }, "without an alias it gets one");

    const listed = await api.call("GET", path, { secret });
    t.same(Object.keys(listed.body).sort(), ["data", "total_count", "user_id"]);
    t.match(listed.body, { user_id: account.userId, total_count: 3 });
    t.same(
      listed.body.data.map(({ alias }: { alias: string }) => alias).sort(),
      ["cli@desk.local", "test", unnamed.body.alias].sort(),
    );
    const entry = listed.body.data.find(({ alias }: { alias: string }) => alias === "cli@desk.local");
    t.match(entry, {
      name: "cli@desk.local",
      key: "cli@desk.local",
      key_display: `${"*".repeat(12)}${second.slice(-4)}`,
    });
    t.same(Object.keys(entry).sort(), ["alias", "created_at", "key", "key_display", "last_used_at", "name"]);
    t.notOk(JSON.stringify(listed.body).includes(second), "the value is not shown again");
    t.equal(entry.last_used_at, entry.created_at, "it was used at once");
    const untouched = listed.body.data.find(({ alias }: { alias: string }) => alias === unnamed.body.alias);
    t.equal(untouched.last_used_at, null, "the other one has not been used");
    const lastUse = async () =>
      (await api.call("GET", path, { secret: second })).body.data.find(
        ({ alias }: { alias: string }) => alias === "cli@desk.local",
      ).last_used_at;
    api.clock.advance(59_000);
    t.equal(await lastUse(), entry.last_used_at, "uses are noted to the minute");
    api.clock.advance(2_000);
    t.equal(Date.parse(await lastUse()), Date.parse(entry.last_used_at) + 61_000);

    const one = `${path}/${encodeURIComponent("cli@desk.local")}`;
    t.match(await api.call("GET", `${one}/get-value`, { secret }), {
      status: 403,
      body: { error: { code: "SECRET_REVEAL_CONSOLE_ONLY" } },
    });
    const deleted = await api.call("DELETE", one, { secret });
    t.equal(deleted.status, 200);
    t.same(Object.keys(deleted.body).sort(), ["alias", "message"]);
    t.equal(deleted.body.alias, "cli@desk.local");
    t.match(await api.call("GET", path, { secret: second }), {
      status: 401,
      body: { error: { code: "UNAUTHORIZED" } },
    });
    t.match(
      await api.call("POST", "/v1/runtime-tokens/request", { secret: second }),
      { status: 403, body: { error: { code: "RUNTIME_SUSPENDED" } } },
      "on a token endpoint",
    );
    t.match(await api.call("DELETE", one, { secret }), { status: 404, body: { error: { code: "NOT_FOUND" } } });
    t.equal((await api.call("GET", path, { secret })).body.total_count, 2);
    t.equal(
      (await api.call("POST", path, { secret, body: { alias: "cli@desk.local" } })).status,
      200,
      "the alias of a revoked secret is free again",
    );
  });
});

t.test("an alias is unique among secrets in use and has a maximum length", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount();
    const path = `/v2/${account.userId}/api-secrets`;
    const issue = (body: unknown) => api.call("POST", path, { secret, body });
    const race = await Promise.all([1, 2, 3, 4].map(() => issue({ alias: "same" })));
    t.same(race.map(({ status }) => status).sort(), [200, 409, 409, 409], "one of several at a time gets it");
    t.match(race.find(({ status }) => status === 409)?.body, { error: { code: "VALIDATION_ERROR", message: /same/ } });
    const other = await api.addAccount();
    t.equal(
      (
        await api.call("POST", `/v2/${other.account.userId}/api-secrets`, {
          secret: other.secret,
          body: { alias: "same" },
        })
      ).status,
      200,
      "another account may use it too",
    );
    t.equal((await issue({ alias: "x".repeat(32) })).status, 200);
    for (const alias of ["", "x".repeat(33), "a/b", "-a", "a\n", " a", 7]) {
      t.match(await issue({ alias }), { status: 400, body: { error: { code: "VALIDATION_ERROR" } } }, `alias ${alias}`);
    }
    t.match(await api.call("POST", path, { secret }), { status: 400, body: { error: { code: "MISSING_PARAM" } } });
  });
});

t.test("a path of another account is refused in the same way whether or not that account exists", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount();
    const other = await api.addAccount();
    for (const userId of [other.account.userId, crypto.randomUUID(), "me"]) {
      const base = `/v2/${userId}`;
      for (const [method, path] of [
        ["POST", `${base}/api-secrets`],
        ["GET", `${base}/api-secrets`],
        ["GET", `${base}/api-secrets/test/get-value`],
        ["DELETE", `${base}/api-secrets/test`],
        ["GET", `${base}/runtime-sessions`],
        ["GET", `${base}/runtime-sessions/cs_x/messages`],
        ["POST", `${base}/runtime-sessions/cs_x/terminate`],
        ["POST", `${base}/runtime/revoke-all`],
      ]) {
        const refused = await api.call(method, path, { secret, body: method === "POST" ? {} : undefined });
        t.match(refused, { status: 403, body: { error: { code: "FORBIDDEN" } } }, `${method} ${path}`);
      }
    }
    t.equal((await api.call("GET", `/v2/${account.userId.toUpperCase()}/api-secrets`, { secret })).status, 200);
    t.equal((await api.call("POST", "/v1/validate", { secret: other.secret })).body.valid, true, "nothing was revoked");
  });
});

t.test("revoke-all ends sessions and suspends runtime access until a secret is issued", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount({ credits: 100 });
    await addAgent(api.services, { userId: account.userId, code: "A01ABC0001" });
    const token = async () => api.call("POST", "/v1/runtime-tokens/request", { secret });
    const { data } = (await token()).body;
    const begin = () =>
      api.call("POST", "/v1/runtime/sessions", {
        bearer: data.token,
        body: { agent_code: "A01ABC0001", model: "essence-2", host: "desk" },
      });
    const running = await begin();
    t.equal(running.status, 200, JSON.stringify(running.body));
    const revoked = await api.call("POST", `/v2/${account.userId}/runtime/revoke-all`, {
      secret,
      body: { reason: "x" },
    });
    t.equal(revoked.status, 200);
    t.match(revoked.body, {
      success: true,
      data: { revoked: 1, effective_in_seconds: 60, runtime_suspended: true, note: String },
    });
    t.match(await token(), { status: 403, body: { error: { code: "RUNTIME_SUSPENDED" } } });
    t.match(await begin(), { status: 403, body: { error: { code: "RUNTIME_SUSPENDED" } } });
    const list = await api.call("GET", `/v2/${account.userId}/runtime-sessions`, { secret });
    t.match(
      list,
      { status: 200, body: { data: { active_count: 0, sessions: [{ status: "ended" }] } } },
      "REST still works",
    );
    const issue = (body: object) => api.call("POST", `/v2/${account.userId}/api-secrets`, { secret, body });
    const kept = await issue({ alias: "kept", keep_runtime_suspended: true });
    t.same(Object.keys(kept.body), ["alias", "secret"]);
    t.equal((await token()).status, 403, "unless the request says not to,");
    t.match(await issue({ alias: "new" }), { status: 200, body: { runtime_resumed: true } }, "a new secret says");
    t.equal((await token()).status, 200, "that it undoes it");
    t.notOk("runtime_resumed" in (await issue({})).body, "and only when it did");
  });
});
