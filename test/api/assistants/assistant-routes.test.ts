// /mcp: clients of every generation, credentials, bounds and limits.
import { setTimeout as sleep } from "node:timers/promises";
import t, { type Test } from "tap";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { connectHttp, GENERATIONS } from "../../helpers/service/connect-assistant.ts";
import { type TestApi, withIdleApi } from "../../helpers/service/with-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

const logLines: string[] = [];

await t.test("/mcp", (t) =>
  withIdleApi(
    async (real) => {
      const secrets: string[] = [];
      const addAccount: TestApi["addAccount"] = async (wanted) => {
        const added = await real.addAccount(wanted);
        secrets.push(added.secret);
        return added;
      };
      const api = { ...real, addAccount };
      await t.test("clients of every generation list and call the same tools", (t) => generations(t, api));
      await t.test("what coding assistants read", (t) => guides(t, api));
      await t.test("credentials", (t) => credentials(t, api));
      await t.test("pages of other sites, broken messages, and bodies without end", (t) => badInput(t, api));
      await t.test("calls take from the limits of the account, as those of REST", (t) => limits(t, api));
      await t.test("ten calls at once, and clients that vanish", (t) => manyAndGone(t, api));
      await t.test("no secret is in the log", async (t) => {
        const log = logLines.join("");
        t.ok(secrets.length > 4);
        t.match(log, /"path":"\/mcp"|\/mcp/, "calls are logged");
        for (const secret of secrets) t.notOk(log.includes(secret));
      });
    },
    { logLines },
  ),
);

async function generations(t: Test, api: TestApi): Promise<void> {
  const { account, secret } = await api.addAccount();
  const code = await addAgent(api.services, { userId: account.userId, name: "Ada" });
  const lists: string[][] = [];
  for (const generation of GENERATIONS) {
    const assistant = await connectHttp(generation, api.baseUrl, { "api-secret": secret });
    const tools = await assistant.list();
    lists.push(tools.map(({ name }) => name));
    const { data, content } = await assistant.call("get_agent", { agent_id: code });
    t.match(data, { agent_id: code, name: "Ada" }, generation);
    t.notOk(JSON.stringify([data, content]).includes(secret), "the secret is in no result");
    t.match(await assistant.call("get_agent", { agent_id: "none" }), { isError: true, data: { code: "NOT_FOUND" } });
    await t.rejects(assistant.call("no_such_tool"), /no_such_tool/, "an unknown tool");
    t.ok((await assistant.call("get_agent", {})).isError, "a missing argument");
    if (assistant.client) {
      const expected = generation === "2025" ? /^2025-/ : generation;
      t.match(assistant.client.getNegotiatedProtocolVersion(), expected);
      t.match(assistant.client.getServerVersion(), { name: "open-avatar-service" });
    }
    await assistant.close();
  }
  t.same(lists[1], lists[0]);
  t.same(lists[2], lists[0]);
  for (const local of ["version", "doctor", "inspect_model", "pull", "render"])
    t.notOk(lists[0].includes(local), local);
}

async function guides(t: Test, api: TestApi): Promise<void> {
  const index = await api.call("GET", "/llms.txt");
  t.match(index, { status: 200, body: /^# Open Avatar Service\n\n> / });
  const links = [...(index.body as string).matchAll(/\]\((http[^)]+)\)/g)].map(([, link]) => new URL(link));
  t.ok(links.length > 3);
  for (const { origin, pathname } of links) {
    t.equal(origin, api.baseUrl);
    // Of the pages, which are not built here.
    if (pathname !== "/widget.js") t.not((await api.call("GET", pathname)).status, 404, pathname);
  }
  const skill = await api.call("GET", "/skill.md");
  t.match(skill.body, /^---\nname: [a-z-]+\ndescription: .+\n---\n/);
  const described = (await api.call("GET", "/openapi.json")).body.paths;
  for (const [, path] of (skill.body as string).matchAll(/(\/v\d\/[a-z/-]+[a-z])/g)) {
    const isThere = Object.keys(described).some((known) => known.startsWith(path));
    t.ok(isThere, path);
  }
}

async function credentials(t: Test, api: TestApi): Promise<void> {
  const { secret } = await api.addAccount();
  const post = (given: { secret?: string; bearer?: string }) =>
    api.call("POST", "/mcp", { body: LIST, headers: HEADERS, ...given });
  t.equal((await post({ secret })).status, 200);
  t.equal((await post({ bearer: secret })).status, 200);
  t.match(await post({}), { status: 401, body: { error: { code: "MISSING_AUTH" } } });
  t.match(await post({ secret: "wrong" }), { status: 401, body: { error: { code: "UNAUTHORIZED" } } });
  t.match(await post({ bearer: "eyJh.eyJz.c2ln" }), { status: 401 }, "a token is no secret");
  await t.rejects(connectHttp("2026-07-28", api.baseUrl, {}), "a client without a secret does not connect");
}

async function badInput(t: Test, api: TestApi): Promise<void> {
  const { secret } = await api.addAccount();
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    api.call("POST", "/mcp", { secret, body, headers: { ...HEADERS, ...headers } });
  const foreign = await post(JSON.stringify(LIST), { origin: "https://elsewhere.example" });
  t.match(foreign, { status: 403, body: { error: { code: "FORBIDDEN" } } });
  t.equal((await post(JSON.stringify(LIST), { origin: api.baseUrl })).status, 200, "a page of this service");
  for (const broken of ["{", "", "null", "[]", '"text"', '{"jsonrpc":"1.0"}', '{"id":{}}']) {
    const { status, body } = await post(broken);
    t.equal(status, 400, broken);
    t.match(body.error?.code ?? body, Number, `${broken} is answered as the protocol has it`);
  }
  t.equal((await post(JSON.stringify(LIST), { "content-type": "text/plain" })).status, 415);
  t.equal((await post(new Uint8Array([0xff, 0xfe]))).status, 400, "no UTF-8");
  t.equal((await post("x".repeat(8_000_001))).status, 413);
  t.equal((await api.call("GET", "/mcp", { secret, headers: { accept: "text/event-stream" } })).status, 405);
  t.equal((await api.call("DELETE", "/mcp", { secret })).status, 405);
  const assistant = await connectHttp("2025", api.baseUrl, { "api-secret": secret });
  const long = { base64: "A".repeat(6_000_001), file_name: "a.txt" };
  t.match(await assistant.call("upload_file", long), { isError: true, data: { code: "VALIDATION_ERROR" } });
  t.match(await assistant.call("upload_file", { base64: "<>" }), { isError: true });
  await assistant.close();
}

async function limits(t: Test, api: TestApi): Promise<void> {
  const { secret } = await api.addAccount({ plan: "creator" });
  const assistant = await connectHttp("first", api.baseUrl, { "api-secret": secret });
  const codes: string[] = [];
  for (let count = 0; count < 12; count++) {
    codes.push((await assistant.call("generate_agent", { prompt: "Ada" })).data.code);
  }
  t.same(new Set(codes.slice(0, 10)), new Set(["INSUFFICIENT_BALANCE"]), "ten a minute, as the plan has it");
  const { data } = await assistant.call("generate_agent", { prompt: "Ada" });
  t.match(data, { code: "RATE_LIMITED", http_status: 429, hint: /^Ask again in \d+ s/ });
  t.match(codes[0] && (await assistant.call("get_credit_balance")).data, { balance: 0 }, "other tiers go on");
  await assistant.close();
  const posts = await Promise.all(
    Array.from({ length: 250 }, () => api.call("POST", "/mcp", { secret, body: LIST, headers: HEADERS })),
  );
  const refused = posts.filter(({ status }) => status === 429);
  t.ok(refused.length > 0, "messages have a limit, too");
  t.match(refused[0], { body: { error: { code: "RATE_LIMITED" } } });
}

async function manyAndGone(t: Test, api: TestApi): Promise<void> {
  const { account, secret } = await api.addAccount({ plan: "business" });
  const codes = await Promise.all(
    Array.from({ length: 10 }, () => addAgent(api.services, { userId: account.userId, families: [] })),
  );
  const assistant = await connectHttp("2026-07-28", api.baseUrl, { "api-secret": secret });
  const seen = await Promise.all(codes.map((agent_id) => assistant.call("get_agent", { agent_id })));
  t.same(
    seen.map(({ data }) => data.agent_id),
    codes,
    "each gets its own answer",
  );
  await api.services.database
    .updateTable("agents")
    .set({ status: "processing" })
    .where("code", "=", codes[0])
    .execute();
  // More than run at once: each leaves its place when its client is gone.
  for (let round = 0; round < 3; round++) {
    const gone = new AbortController();
    const waiting = Array.from({ length: 20 }, () =>
      assistant.call("get_agent_status", { agent_id: codes[0], wait_seconds: 90 }, { signal: gone.signal }),
    );
    await sleep(200);
    gone.abort();
    for (const { status } of await Promise.allSettled(waiting)) t.equal(status, "rejected");
  }
  await waitFor(async () => !(await assistant.call("validate_api_secret")).isError, "a free place");
  await assistant.close();
}
