// Short links to embed pages.
import { decodeJwt } from "jose";
import t from "tap";
import { deleteExpiredLinks } from "../../../api/embed/embed-link-store.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { type TestApi, withIdleApi } from "../../helpers/service/with-api.ts";

const DAY_MS = 86_400_000;

async function addOwner(api: TestApi) {
  const { account, secret } = await api.addAccount({ credits: 1000 });
  await addAgent(api.services, { userId: account.userId, code: "nova" });
  const make = (body: object = {}) =>
    api.call("POST", "/v1/embed-links", { secret, body: { agent_id: "nova", ...body } });
  return { account, secret, make };
}

t.test("a short link leads to the agent's embed page with a shared token, until it expires", async (t) => {
  await withIdleApi(async (api) => {
    api.clock.hold();
    const { account, secret, make } = await addOwner(api);
    const { status, body } = await make();
    t.equal(status, 200);
    const { code, url, expires_at: expiresAt } = body.data;
    t.ok(url.length < 60, url);
    const path = new URL(url).pathname;
    t.equal(path, `/a/${code}`);
    t.equal(Date.parse(expiresAt), api.clock.now() + 7 * DAY_MS);

    const { headers } = await api.call("GET", path);
    const [page, token] = (headers.get("location") ?? "").split("#token=");
    t.equal(page, "/embed/nova");
    t.match(decodeJwt(token), { agent: "nova", sub: account.userId, endUserId: null });
    t.equal(headers.get("cache-control"), "no-store");
    t.equal((await api.call("GET", "/embed/agent", { bearer: token })).status, 200, "the token is good");

    t.equal((await api.call("GET", "/a/unknown")).status, 404);
    api.clock.advance(7 * DAY_MS + 1000);
    t.match((await api.call("GET", path)).body.error, { code: "NOT_FOUND", message: /expired/ });
    await deleteExpiredLinks(api.services.database, new Date(api.clock.now()));
    t.equal((await api.call("DELETE", `/v1/embed-links/${code}`, { secret })).status, 404);
    for (const bad of [{ expires_in: 59 }, { expires_in: 91 * 86_400 }, { model: "essence-9" }]) {
      t.equal((await make(bad)).status, 400, JSON.stringify(bad));
    }
    t.match((await make({ agent_id: "other" })).body.error, { code: "NOT_FOUND" });
    t.match((await make({ model: "expression-2" })).body.error, { code: "MODEL_NOT_GENERATED" });
  });
});

t.test("a short link ends when it is withdrawn, and with its agent or its secret", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret, make } = await addOwner(api);
    const link = async (): Promise<string> => (await make()).body.data.code;
    const withdrawn = await link();
    const stranger = await api.addAccount();
    const remove = (code: string, by: string) => api.call("DELETE", `/v1/embed-links/${code}`, { secret: by });
    t.equal((await remove(withdrawn, stranger.secret)).status, 404, "by its owner alone");
    t.match(await remove(withdrawn, secret), { status: 200, body: { deleted: true } });
    t.equal((await remove(withdrawn, secret)).status, 404);
    t.equal((await api.call("GET", `/a/${withdrawn}`)).status, 404);

    const ofAgent = await link();
    const ofSecret = await link();
    const { headers } = await api.call("GET", `/a/${ofSecret}`);
    const bearer = headers.get("location")?.split("#token=")[1];
    await api.call("DELETE", "/v1/agent/nova", { secret });
    t.equal((await api.call("GET", `/a/${ofAgent}`)).status, 404);
    await addAgent(api.services, { userId: account.userId, code: "vera" });
    await api.services.database.updateTable("api_secrets").set({ revoked_at: new Date() }).execute();
    t.equal((await api.call("GET", "/embed/agent", { bearer })).status, 403, "its tokens are refused");
  });
});

t.test("an account's short links that work are listed, newest first", async (t) => {
  await withIdleApi(async (api) => {
    api.clock.hold();
    const { account, secret, make } = await addOwner(api);
    await addAgent(api.services, { userId: account.userId, code: "vera" });
    const codes: string[] = [];
    for (const [agent, lifetime] of [
      ["nova", 60],
      ["vera", 3600],
      ["nova", 3600],
    ] as const) {
      api.clock.advance(10);
      codes.push((await make({ agent_id: agent, expires_in: lifetime })).body.data.code);
    }
    const [short, ofVera, newest] = codes;
    const list = async (query = "", by = secret) =>
      (await api.call("GET", `/v1/embed-links${query}`, { secret: by })).body;
    const codesOf = ({ data }: { data: { code: string }[] }) => data.map(({ code }) => code);
    const all = await list();
    t.same(codesOf(all), [newest, ofVera, short]);
    t.match(all.data[1], {
      url: new RegExp(`/a/${ofVera}$`),
      agent_code: "vera",
      created_at: String,
      expires_at: String,
    });
    t.match(all.pagination, { total: 3, has_more: false });
    t.same(codesOf(await list("?agent_id=nova&limit=1")), [newest]);
    t.match((await list("?agent_id=nova&limit=1")).pagination, { total: 2, has_more: true });
    api.clock.advance(61_000);
    t.same(codesOf(await list("?agent_id=nova")), [newest], "without expired ones");
    await api.call("DELETE", "/v1/agent/vera", { secret });
    t.same(codesOf(await list()), [newest], "without those of deleted agents");
    t.same(codesOf(await list("", (await api.addAccount()).secret)), [], "one's own alone");
    t.match(await list("?limit=0"), { error: { code: "VALIDATION_ERROR" } });
  });
});

t.test("an account has at most a thousand short links at a time", async (t) => {
  await withIdleApi(async (api) => {
    const { make } = await addOwner(api);
    await make();
    const { database } = api.services;
    const [row] = await database.selectFrom("embed_links").selectAll().execute();
    const rows = Array.from({ length: 998 }, (_, index) => ({ ...row, code: `link${index}` }));
    await database.insertInto("embed_links").values(rows).execute();
    const answers = await Promise.all([make(), make(), make()]);
    t.same(answers.map(({ status }) => status).sort(), [200, 409, 409], "requests at the same time");
    const other = await api.addAccount({ credits: 10 });
    await addAgent(api.services, { userId: other.account.userId, code: "vera" });
    const body = { agent_id: "vera" };
    t.equal((await api.call("POST", "/v1/embed-links", { secret: other.secret, body })).status, 200);
  });
});
