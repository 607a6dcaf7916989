// The client against the real api: resources, lists, files, keys and errors.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import {
  AuthenticationError,
  BadRequestError,
  Client,
  ConfigurationError,
  ConflictError,
  InsufficientBalanceError,
  NotFoundError,
  PermissionDeniedError,
  UnsupportedTypeError,
} from "../../../sdk/client/index.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { withApi } from "../../helpers/service/with-api.ts";

t.test("resources answer with their content, lists walk all pages, and errors have a class", async (t) => {
  await withApi(
    async (api) => {
      const { account, secret } = await api.addAccount({ credits: 1000 });
      const client = new Client({ baseUrl: `${api.baseUrl}/`, apiSecret: secret, maxRetries: 0 });

      t.match(await client.accounts.me(), { user_id: account.userId, plan: "pro" });
      const { data, response, requestId } = await client.accounts.me().withResponse();
      t.equal(data.user_id, account.userId);
      t.equal(response.status, 200);
      t.equal(requestId, response.headers.get("x-request-id"));
      t.match(await client.system.readiness(), { status: String });

      const codes: string[] = [];
      for (let count = 0; count < 5; count++) codes.push(await addAgent(api.services, { userId: account.userId }));
      const page = await client.agents.list({ limit: 2 });
      t.match(page, { hasMore: true, body: { success: true, pagination: { total: 5 } } });
      t.equal(page.items.length, 2);
      const walked: string[] = [];
      for await (const { code } of client.agents.list({ limit: 2 })) walked.push(code);
      t.same(walked.sort(), codes.sort());
      const rest: string[] = [];
      for await (const { code } of client.agents.list({ limit: 2, offset: 3 })) rest.push(code);
      t.equal(rest.length, 2, "from an offset");

      const [code] = codes;
      t.match(await client.agents.get(code), { code, name: "Test agent" });
      t.same(await client.agents.update(code, { system_prompt: "You are new." }), { agent_code: code, updated: true });
      t.same((await client.agents.listRooms(code)).items, []);
      const secrets: string[] = [];
      for await (const { alias } of client.secrets.list(account.userId)) secrets.push(alias);
      t.same(secrets, ["test"], "entries that are not at the top");
      for await (const session of client.sessions.list(account.userId, { window: "live" })) t.fail(session.id);
      const voices = await client.voices.list();
      t.ok(voices.items.some(({ id }) => id === "M1"));
      t.match(await client.embedTokens.create({ agent_id: code, fingerprint: "f".repeat(16) }), { token: /^ey/ });
      t.match(await client.runtimeTokens.mint({ agent_code: code }), { token: /^ey/ });
      t.match(await client.agents.delete(code), { deleted: true });

      const refusal = await client.agents.get("nothing").catch((error) => error);
      t.type(refusal, NotFoundError);
      t.match(refusal, { code: "NOT_FOUND", httpStatus: 404, requestId: String, message: /^Agent not found for code/ });
      await t.rejects(client.agents.get("nothing").withResponse(), NotFoundError, "without an unhandled rejection");
      await t.rejects(client.agents.speak(codes[1], { message: "Hello" }), { code: "NOT_FOUND" });
      await t.rejects(client.secrets.list("another"), PermissionDeniedError);
      await t.rejects(client.agents.get(".."), /code must be a text/, "a path of dots leads nowhere else");
      await t.rejects(client.agents.get(""), TypeError);

      const poor = await api.addAccount();
      const unpaid = new Client({ baseUrl: api.baseUrl, apiSecret: poor.secret, maxRetries: 0 });
      const broke = await unpaid.agents.create({ prompt: "You are Nova.", model: "essence-2" }).catch((error) => error);
      t.type(broke, InsufficientBalanceError);
      t.match(broke, { topupUrl: /^http/, upgradeUrl: undefined });
    },
    { background: false },
  );
});

t.test("a secret that is wrong, revoked or missing", async (t) => {
  await withApi(
    async (api) => {
      const { account, secret } = await api.addAccount();
      const client = new Client({ baseUrl: api.baseUrl, apiSecret: secret });
      const wrong = new Client({ baseUrl: api.baseUrl, apiSecret: "unknown-secret" });
      await t.rejects(wrong.accounts.me(), AuthenticationError);
      t.same(await wrong.secrets.validate(), { valid: false });

      const made = await client.secrets.create(account.userId, { alias: "second" });
      const second = new Client({ baseUrl: api.baseUrl, apiSecret: made.secret });
      t.same(await second.secrets.validate(), { valid: true });
      await client.secrets.revoke(account.userId, "second");
      await t.rejects(second.accounts.me(), { name: "AuthenticationError", code: "UNAUTHORIZED" });
      await t.rejects(second.runtimeTokens.mint({ agent_code: "none" }), { code: "RUNTIME_SUSPENDED" });

      const none = new Client({ baseUrl: api.baseUrl });
      await t.rejects(
        none.accounts.me(),
        new ConfigurationError("This call needs an API secret: pass apiSecret, or set AVATAR_API_SECRET."),
      );
      t.ok(await none.samples.list(), "what needs none is answered");
      await t.rejects(none.accounts.me({ headers: { "api-secret": "" } }), ConfigurationError);
      t.throws(() => new Client({ baseUrl: api.baseUrl, apiSecret: "two\nlines" }), /^apiSecret must be letters/);
      t.throws(() => new Client({ baseUrl: "avatars.example" }), /baseUrl "avatars.example" is no URL/);
    },
    { background: false },
  );
});

t.test("an order is charged once for its key, which the client makes", async (t) => {
  await withApi(
    async (api) => {
      const { secret } = await api.addAccount({ credits: 10_000 });
      const keys: (string | null)[] = [];
      const noting: typeof fetch = (input, init) => {
        keys.push(new Headers(init?.headers).get("idempotency-key"));
        return fetch(input, init);
      };
      const client = new Client({ baseUrl: api.baseUrl, apiSecret: secret, fetch: noting });
      const order = { prompt: "You are Nova.", model: "expression-2" };
      const [one, two] = [await client.agents.create(order), await client.agents.create(order)];
      t.not(one.agent_id, two.agent_id, "two calls, two keys");
      const idempotencyKey = "the-same";
      const first = await client.agents.create(order, { idempotencyKey });
      const replayed = await client.agents.create(order, { idempotencyKey }).withResponse();
      t.equal(replayed.data.agent_id, first.agent_id);
      t.equal(replayed.response.headers.get("idempotency-replayed"), "true");
      await t.rejects(client.agents.create({ ...order, prompt: "Another." }, { idempotencyKey }), ConflictError);
      t.match(keys, [/^[0-9a-f]{32}$/, /^[0-9a-f]{32}$/, "the-same", "the-same", "the-same"]);
      await client.agents.list();
      t.equal(keys.at(-1), null, "only where it is accepted");
    },
    { background: false },
  );
});

t.test("files come from a Blob, a path or a stream", async (t) => {
  await withApi(
    async (api) => {
      const { secret } = await api.addAccount({ plan: "enterprise", credits: 1000 });
      const client = new Client({ baseUrl: api.baseUrl, apiSecret: secret });
      const text = "Tea is brewed at 80 degrees.\n";
      const path = join(t.testdir(), "tea.txt");
      await writeFile(path, text);
      async function* pieces() {
        for (const letter of text) yield Buffer.from(letter);
      }
      const sources = [
        { path },
        new File([text], "tea.txt"),
        { data: new Blob([text]), name: "tea.txt" },
        { data: new Blob([text]).stream(), name: "tea.txt" },
        { data: pieces(), name: "tea.txt" },
        { data: Buffer.from(text), name: "tea.txt" },
      ];
      for (const file of sources) {
        const uploaded = await client.files.upload({ file, file_type: "auto" });
        t.match(uploaded, { file_size: text.length, asset_category: "docs", original_source: "tea.txt" });
        const stored = await client.files.download(uploaded.file_url);
        t.equal(await stored.text(), text);
      }
      const names: string[] = [];
      for await (const { id } of client.files.list({ limit: 4 })) names.push(id);
      t.equal(new Set(names).size, sources.length, "a list that tells its total has pages, too");
      await t.rejects(client.files.upload({ file: new File(["<svg/>"], "a.svg") }), UnsupportedTypeError);
      await t.rejects(client.files.upload({ file: { path: join(t.testdir(), "none.txt") } }), /none\.txt/);
      await t.rejects(
        client.agents.create({ image: new Blob([text]), model: "essence-2" }),
        BadRequestError,
        "a file in a JSON body is sent in base64, and checked",
      );
    },
    { background: false },
  );
});
