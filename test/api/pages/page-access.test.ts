// Who may use the start page without an API secret, and what its token is good for.
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import t from "tap";
import { ensureOperatorAccount } from "../../../api/accounts/operator-account.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { untilAgent } from "../../helpers/service/until-agent.ts";
import { type CallOptions, type TestApi, withApi, withIdleApi } from "../../helpers/service/with-api.ts";

const SECRET = "operator-secret-operator-secret-operator";
const ASTRONAUT = new URL("../../fixtures/portraits/astronaut.png", import.meta.url);
/** Operations that take the page's token. */
const OPEN = [
  "agents.generate",
  "agents.status",
  "agents.list",
  "agents.update",
  "agents.delete",
  "faceMarks.get",
  "embedTokens.create",
  "embedLinks.create",
  "embedLinks.delete",
  "speech.synthesize",
  "videos.generate",
  "pricing.get",
];

const addOperator = ({ services: { database } }: TestApi) =>
  ensureOperatorAccount({ database, secret: SECRET, now: new Date() });

/** What the start page's own request looks like, with changes; undefined removes a header. */
function ask({ baseUrl }: TestApi, changes: Record<string, string | undefined> = {}): Promise<number> {
  const own = { origin: baseUrl, host: new URL(baseUrl).host, "sec-fetch-site": "same-origin", "x-start-page": "1" };
  const headers = Object.fromEntries(Object.entries({ ...own, ...changes }).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    // The fetch of Node does not let a test choose the Host.
    const sent = request(`${baseUrl}/home/access`, { method: "POST", headers: headers as Record<string, string> });
    sent.on("error", reject).on("response", (answer) => resolve(answer.resume().statusCode ?? 0));
    sent.end();
  });
}

async function tokenOf(api: TestApi): Promise<string> {
  const headers = { origin: api.baseUrl, "x-start-page": "1" };
  const { status, body } = await api.call("POST", "/home/access", { headers });
  if (status !== 200) throw new Error(`no token: ${JSON.stringify(body)}`);
  return body.token;
}

t.test("only the start page itself, opened on the machine of the service, gets a token", async (t) => {
  await withIdleApi(async (api) => {
    t.equal(await ask(api), 403, "there is no operator account yet");
    await addOperator(api);
    t.equal(await ask(api), 200);
    const { port } = new URL(api.baseUrl);
    const local = (name: string) => ({ host: `${name}:${port}`, origin: `http://${name}:${port}` });
    for (const name of ["localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "[::1]"]) {
      t.equal(await ask(api, local(name)), 200, `opened as ${name}`);
    }
    t.equal(await ask(api, { "sec-fetch-site": undefined }), 200, "older browsers do not send it");
    const refused: Record<string, Record<string, string | undefined>> = {
      "another site": { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" },
      "another site in a browser that sends no Sec-Fetch-Site": {
        origin: "https://elsewhere.example",
        "sec-fetch-site": undefined,
      },
      "another program's page on this machine": { origin: "http://127.0.0.1:3000", "sec-fetch-site": "same-site" },
      "a frame without an origin": { origin: "null", "sec-fetch-site": "cross-site" },
      "the same origin by https": { origin: `https://127.0.0.1:${port}` },
      "no origin": { origin: undefined },
      "a form, which cannot send the header": { "x-start-page": undefined },
      "a name that was rebound to this machine": local("elsewhere.example"),
      "a name that begins like this machine": local("127.0.0.1.elsewhere.example"),
      "a name under localhost": local("elsewhere.localhost"),
      "every address of this machine": local("0.0.0.0"),
      "a host with credentials": local("localhost@elsewhere.example"),
      "a proxy": { "x-forwarded-for": "127.0.0.1" },
      "a proxy with the standard header": { forwarded: "for=127.0.0.1" },
      "a proxy that names itself": { via: "1.1 proxy" },
      "a proxy that names the client": { "x-real-ip": "127.0.0.1" },
    };
    for (const [title, changes] of Object.entries(refused)) t.equal(await ask(api, changes), 403, title);
    const preflight = await api.call("OPTIONS", "/home/access", { headers: { origin: "https://elsewhere.example" } });
    t.equal(preflight.status, 404, "other sites get no consent for the header");
    t.equal(preflight.headers.get("access-control-allow-origin"), null);
  });
  for (const changes of [{}, { AVATAR_DEMO: "1" }, { AVATAR_TRUST_PROXY: "1" }]) {
    const environment = { ...(changes as Record<string, string>), PUBLIC_URL: "https://avatars.example" };
    await withIdleApi(
      async (api) => {
        await addOperator(api);
        t.equal(await ask(api), 403, `behind a proxy no peer is known: ${JSON.stringify(changes)}`);
      },
      { environment },
    );
  }
});

t.test("the token makes agents from images, and opens these agents alone", async (t) => {
  await withApi(async (api) => {
    const operator = await addOperator(api);
    const others = [
      await addAgent(api.services, { userId: operator.userId, code: "demo" }),
      await addAgent(api.services, { userId: operator.userId, code: "page-0123abcd-0123456789ab" }),
    ];
    const bearer = await tokenOf(api);
    const page = (method: string, path: string, options: CallOptions = {}) =>
      api.call(method, path, { bearer, ...options });
    const image = `data:image/png;base64,${(await readFile(ASTRONAUT)).toString("base64")}`;
    const order = { image, model: "essence-2", aspect_ratio: "1:1", prompt: "You are Vera." };

    const made = await page("POST", "/v1/agent/generate", { body: order });
    t.equal(made.status, 200, JSON.stringify(made.body));
    const code: string = made.body.agent_id;
    t.match(code, /^page-[0-9a-f]{8}-[0-9a-f]{12}$/);
    t.match(await untilAgent(api, SECRET, code), { status: "ready" }, "an ordinary agent of the operator's account");
    t.match((await page("GET", `/v1/agent/status/${code}`)).body.data, { name: "Vera", status: "ready" });
    t.match((await page("GET", `/v1/agent/${code}/face-marks`)).body.data, { is_waiting: false });
    const embed = { agent_id: code, fingerprint: "visitor" };
    t.match((await page("POST", "/v1/embed-tokens/request", { body: embed })).body.data, { token: /^eyJ/ });

    for (const other of others) {
      const body = { agent_id: other, fingerprint: "visitor" };
      for (const answer of [
        await page("GET", `/v1/agent/status/${other}`),
        await page("GET", `/v1/agent/${other}/face-marks`),
        await page("DELETE", `/v1/agent/${other}`),
        await page("POST", "/v1/embed-tokens/request", { body }),
      ]) {
        t.match(answer.body.error, { code: "NOT_FOUND" }, `${other} was not made on the page`);
      }
    }
    for (const change of [
      { agent_id: "demo" },
      { agent_id: code },
      { image: null },
      { image: "https://pictures.example/face.jpg" },
      { audio: "data:audio/wav;base64,AAAA" },
      { transparency: true },
      { version: "v2" },
    ]) {
      const answer = await page("POST", "/v1/agent/generate", { body: { ...order, ...change } });
      t.match(answer.body.error, { code: "FORBIDDEN" }, JSON.stringify(change));
    }

    const { token: embedToken } = (await page("POST", "/v1/embed-tokens/request", { body: embed })).body.data;
    const asked = await api.call("GET", `/v1/agent/status/${code}`, { bearer: embedToken });
    t.equal(asked.status, 401, "an embed token is no token of the page");
    t.equal((await page("POST", "/embed/session", { body: {} })).status, 401, "and the reverse");
    const forwarded = await page("GET", `/v1/agent/status/${code}`, { headers: { "x-forwarded-for": "127.0.0.1" } });
    t.match(forwarded.body.error, { code: "FORBIDDEN" }, "a token that left the machine is of no use");

    const gone = await page("DELETE", `/v1/agent/${code}`);
    t.match(gone.body, { deleted: true });
    t.match((await page("GET", `/v1/agent/status/${code}`)).body.error, { code: "NOT_FOUND" });

    api.clock.hold();
    const statuses = new Set<number>();
    for (let count = 0; count < 12; count++) {
      statuses.add((await page("POST", "/v1/agent/generate", { body: { prompt: "none" } })).status);
    }
    t.same([...statuses], [403, 429], "at most ten agents a minute");
    api.clock.advance(11 * 60_000);
    t.match(
      (await page("GET", `/v1/agent/status/${code}`)).body.error,
      { code: "MISSING_AUTH" },
      "ten minutes are over",
    );
    const fresh = await tokenOf(api);
    await api.services.database.updateTable("api_secrets").set({ revoked_at: new Date() }).execute();
    const revoked = await api.call("GET", `/v1/agent/status/${code}`, { bearer: fresh });
    t.match(revoked.body.error, { code: "UNAUTHORIZED" }, "a revoked secret takes the page's tokens with it");
    t.equal(await ask(api), 403);
  });
});

t.test(
  "the page's agents have the voice and the name that the visitor chose, and keep them until changed",
  async (t) => {
    await withApi(
      async (api) => {
        const operator = await addOperator(api);
        await addAgent(api.services, { userId: operator.userId, code: "demo" });
        await addAgent(api.services, { userId: operator.userId, code: "page-0123abcd-0123456789ab" });
        const bearer = await tokenOf(api);
        const page = (method: string, path: string, body?: object) => api.call(method, path, { bearer, body });
        const image = `data:image/png;base64,${(await readFile(ASTRONAUT)).toString("base64")}`;
        const order = { image, model: "essence-2", aspect_ratio: "1:1", name: "", voice: "F4" };
        for (const [field, value] of [
          ["voice", "F9"],
          ["name", "x".repeat(61)],
        ] as const) {
          const { status, body } = await page("POST", "/v1/agent/generate", { ...order, [field]: value });
          t.match({ status, body }, { status: 400, body: { error: { code: "VALIDATION_ERROR" } } }, field);
        }
        const unknown = await page("POST", "/v1/agent/generate", { ...order, voice: "bv1_unknown" });
        t.match(unknown.body.error, { code: "VOICE_NOT_FOUND" });
        const code: string = (await page("POST", "/v1/agent/generate", order)).body.agent_id;
        const made = await untilAgent(api, SECRET, code);
        t.match(made, { status: "ready", name: "", voice_id: "F4" });
        t.notMatch(made.system_prompt, /You are [A-Z]/, "no name by a hash");

        const change = (body: object, of = code) => page("POST", `/v1/agent/${of}`, body);
        t.match(await change({ voice: "M2", system_prompt: "You are a calm guide.", name: "Ann" }), { status: 200 });
        const { data } = (await page("GET", `/v1/agent/status/${code}`)).body;
        t.match(data, { name: "Ann", voice_id: "M2", system_prompt: "You are a calm guide." });
        t.match(await change({ system_prompt: "You are brief." }), { status: 200, body: { updated: true } });
        t.match(await change({}), { status: 400 });
        t.match((await change({ kb_ids: [] })).body.error, { code: "FORBIDDEN" });
        t.match((await change({ providers: { llm: { mode: "default" } } })).body.error, { code: "FORBIDDEN" });
        for (const other of ["demo", "page-0123abcd-0123456789ab"]) {
          t.match((await change({ name: "Eve" }, other)).body.error, { code: "NOT_FOUND" }, other);
          const film = { agent_code: other, model: "essence-2", input: { type: "text", text: "Hello." } };
          t.match((await page("POST", "/v1/video/generate", film)).body.error, { code: "NOT_FOUND" }, "no film of it");
        }

        const { agents } = {
          agents: (await page("GET", "/v1/agents")).body.data as { code: string; poster_url: string }[],
        };
        t.same(
          agents.map((agent) => agent.code),
          [code],
          "only what was made on the page",
        );
        t.equal((await fetch(agents[0].poster_url)).headers.get("content-type"), "image/jpeg");
        await page("DELETE", `/v1/agent/${code}`);
        t.same((await page("GET", "/v1/agents?status=ready")).body.data, []);
        t.match((await page("GET", "/v1/agents?status=deleted")).body.data, [{ code, poster_url: null }]);
        const spoken = await page("POST", "/v1/tts", { text: "Hello.", voice: "F1" });
        t.equal(spoken.headers.get("content-type"), "audio/wav", "a line for a face in the tab");
      },
      { environment: { AVATAR_VOICE: "formant" } },
    );
  },
);

t.test("no other operation takes the token", async (t) => {
  await withIdleApi(async (api) => {
    await addOperator(api);
    const bearer = await tokenOf(api);
    let count = 0;
    for (const [path, operations] of Object.entries(api.describe().paths ?? {})) {
      for (const [method, operation] of Object.entries(operations as Record<string, Operation>)) {
        if (!operation.security?.length || OPEN.includes(operation.operationId)) continue;
        const body = method === "get" || method === "delete" ? undefined : {};
        const answer = await api.call(method.toUpperCase(), path.replace(/\{[^}]+\}/g, "x"), { bearer, body });
        // Failed authentications of an address are limited.
        t.ok([401, 429].includes(answer.status), `${operation.operationId}: ${answer.status}`);
        count++;
      }
    }
    t.ok(count > 60, `${count} operations`);
  });
});

interface Operation {
  operationId: string;
  security?: readonly object[];
}
