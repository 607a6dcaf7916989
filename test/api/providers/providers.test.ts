// The list of an account's own servers: what is stored, merged, shown and refused.
import { lookup } from "node:dns/promises";
import t from "tap";
import { createHostResolver } from "../../../program/outgoing/resolve-host.ts";
import { type NameAnswer, withNameServer } from "../../helpers/servers/with-name-server.ts";
import { type TestApi, withIdleApi } from "../../helpers/service/with-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const KEY = "sk-the-secret-key-of-ada";
const OTHER_KEY = "sk-another-secret-key";

/** Calls of one account about its list. */
async function asOwner(api: TestApi, path?: string) {
  const { account, secret } = await api.addAccount();
  const own = path ?? `/v2/${account.userId}/providers`;
  return {
    userId: account.userId,
    secret,
    get: async () => api.call("GET", own, { secret }),
    put: async (entries: unknown) => api.call("PUT", own, { secret, body: { entries } }),
    stored: () =>
      api.services.database.selectFrom("providers").selectAll().where("user_id", "=", account.userId).execute(),
  };
}

t.test("the list is empty at first, is replaced, and [] clears it", async (t) => {
  await withIdleApi(async (api) => {
    const { userId, get, put } = await asOwner(api);
    t.same((await get()).body, { user_id: userId, providers: { entries: [] } });
    const made = await put([
      { platform: "openai", label: "Mine", credentials: { apiKey: KEY }, options: { llm: { model: "m" } } },
      { id: "eleven", platform: "ElevenLabs", credentials: { apiKey: OTHER_KEY, region: "eu" }, metadata: { a: 1 } },
    ]);
    t.equal(made.status, 200);
    t.match(made.body.providers.entries, [
      { id: String, platform: "openai", label: "Mine", options: { llm: { model: "m" } }, credentials: {} },
      { id: "eleven", platform: "elevenlabs", label: "", options: {}, metadata: { a: 1 } },
    ]);
    t.same((await get()).body, made.body, "the answer is what is stored");
    t.same((await put([{ id: "eleven", platform: "elevenlabs" }])).body.providers.entries.length, 1);
    t.same((await put([])).body, { user_id: userId, providers: { entries: [] } });
    t.same((await get()).body.providers.entries, []);
  });
});

t.test("secrets are sealed and masked: no answer and no row has one", async (t) => {
  await withIdleApi(async (api) => {
    const { get, put, stored } = await asOwner(api);
    const names = ["apiKey", "api_key", "secret", "apiSecret", "clientSecret", "accessToken", "privateKey"];
    const credentials = Object.fromEntries(names.map((name) => [name, `${KEY}-${name}`]));
    const answers = [
      await put([
        {
          id: "a",
          platform: "other",
          credentials: { ...credentials, short: "12345678", baseUrl: "https://a.example/v1" },
        },
      ]),
      await get(),
    ];
    for (const { body } of answers) {
      const [entry] = body.providers.entries;
      t.same(Object.keys(entry.secrets).sort(), [...names, "short"].sort());
      t.match(entry.secrets.apiKey, { present: true, hint: "…iKey", updated_at: /^\d{4}-.*Z$/ });
      t.equal(entry.secrets.short.hint, "", "a short secret has no hint");
      t.same(entry.credentials, { baseUrl: "https://a.example/v1" });
      t.notMatch(JSON.stringify(body), /the-secret-key|12345678/);
    }
    const [row] = await stored();
    t.notMatch(JSON.stringify(row) + row.sealed_secrets?.toString("latin1"), /the-secret-key|12345678/);
  });
});

t.test("an entry of a known id keeps what is not sent; secrets go only when they are cleared", async (t) => {
  await withIdleApi(async (api) => {
    api.clock.hold();
    const { get, put } = await asOwner(api);
    const first = { id: "a", platform: "openai", label: "One", options: { llm: { model: "m" } } };
    await put([{ ...first, credentials: { apiKey: KEY, secret: OTHER_KEY, baseUrl: "https://a.example/v1" } }]);
    const [before] = (await get()).body.providers.entries;
    api.clock.advance(60_000);

    const [same] = (await put([{ id: "a", platform: "openai" }])).body.providers.entries;
    t.same(same, before, "nothing was sent, nothing changes");
    const roundTrip = (await put((await get()).body.providers.entries)).body.providers.entries;
    t.same(roundTrip, [before], "what is shown may be sent back");
    for (const apiKey of [null, "", KEY]) {
      const [entry] = (await put([{ id: "a", platform: "openai", credentials: { apiKey } }])).body.providers.entries;
      t.same(entry.secrets, before.secrets, `apiKey ${apiKey && "again"}`);
    }
    const [renewed] = (await put([{ id: "a", platform: "openai", label: "Two", credentials: { apiKey: `${KEY}-2` } }]))
      .body.providers.entries;
    t.match(renewed, { label: "Two", options: before.options, credentials: before.credentials });
    t.equal(renewed.secrets.apiKey.hint, "…da-2");
    t.not(renewed.secrets.apiKey.updated_at, before.secrets.apiKey.updated_at);
    t.same(renewed.secrets.secret, before.secrets.secret);

    const [less] = (await put([{ id: "a", platform: "openai", clearSecrets: ["secret", "unknown"] }])).body.providers
      .entries;
    t.same(Object.keys(less.secrets), ["apiKey"]);
    const [cleared] = (await put([{ id: "a", platform: "openai", clearSecrets: true, credentials: { secret: KEY } }]))
      .body.providers.entries;
    t.same(Object.keys(cleared.secrets), ["secret"], "cleared first, then set");
    await put([]);
    const [again] = (await put([{ id: "a", platform: "openai" }])).body.providers.entries;
    t.same(again.secrets, {}, "a removed entry leaves nothing behind");
  });
});

t.test("a stored secret is never sent to an address that it was not entered for", async (t) => {
  await withIdleApi(async (api) => {
    const { get, put } = await asOwner(api);
    const at = (baseUrl: string | null, more: object = {}) =>
      put([
        {
          id: "a",
          platform: "openai",
          ...more,
          credentials: { baseUrl, ...(more as { credentials?: object }).credentials },
        },
      ]);
    await at("https://a.example/v1", { credentials: { apiKey: KEY } });
    t.match(await at("https://evil.example/v1"), {
      status: 400,
      body: { error: { code: "VALIDATION_ERROR", message: /entries\.0 \(a\)\.credentials: .*apiKey again/ } },
    });
    t.equal((await at(null)).status, 400, "nor to the platform's own server");
    t.equal((await put([{ id: "a", platform: "other" }])).status, 400, "nor to another platform");
    t.match((await get()).body.providers.entries, [{ credentials: { baseUrl: "https://a.example/v1" } }]);
    t.match(
      await at("https://a.example/v2"),
      { status: 400, body: { error: { message: /the address has changed: .*apiKey again/ } } },
      "nor to another path, which may be another customer's",
    );
    t.equal((await at("https://A.example:443/v1/")).status, 200, "another spelling is the same address");
    t.equal((await at("https://b.example/v1", { credentials: { apiKey: KEY } })).status, 200);
    t.equal((await at("https://c.example/v1", { clearSecrets: ["apiKey"] })).status, 200);
  });
});

t.test("base URLs get one form: a pasted route is trimmed, WebSocket schemes become HTTP's", async (t) => {
  await withIdleApi(async (api) => {
    const { put } = await asOwner(api);
    for (const [given, shown] of [
      ["https://a.example/v1", "https://a.example/v1"],
      ["https://A.example:443/v1///", "https://a.example/v1"],
      ["http://a.example", "http://a.example"],
      ["https://a.example/v1/chat/completions", "https://a.example/v1"],
      ["https://a.example/v1/chat/completions/", "https://a.example/v1"],
      ["https://a.example/v1/audio/transcriptions", "https://a.example/v1"],
      ["https://a.example/v1/audio/speech", "https://a.example/v1"],
      ["https://a.example/v1/responses", "https://a.example/v1"],
      ["https://a.example/openai/v1/models", "https://a.example/openai/v1"],
      ["wss://a.example/v1/realtime?model=m", "https://a.example/v1"],
      ["ws://a.example:8000/v1", "http://a.example:8000/v1"],
      [" https://a.example/v1 ", "https://a.example/v1"],
    ]) {
      const { status, body } = await put([{ platform: "openai", credentials: { baseUrl: given } }]);
      t.equal(status, 200, given);
      t.equal(body.providers.entries[0].credentials.baseUrl, shown, given);
    }
    const other = await put([{ platform: "other", credentials: { baseUrl: "https://a.example/models" } }]);
    t.equal(other.body.providers.entries[0].credentials.baseUrl, "https://a.example/models", "of openai only");
  });
});

t.test("each kind of bad entry is 400 and named by its place and field; nothing is stored then", async (t) => {
  await withIdleApi(async (api) => {
    const { put, get } = await asOwner(api);
    const good = { id: "good", platform: "openai" };
    const url = (baseUrl: string) => ({ platform: "openai", credentials: { baseUrl } });
    const bad: [unknown, RegExp][] = [
      ["text", /entries\.1/],
      [null, /entries\.1/],
      [{}, /entries\.1\.platform/],
      [{ platform: 7 }, /entries\.1\.platform/],
      [{ platform: " " }, /entries\.1\.platform/],
      [{ platform: "openai", id: "a b" }, /entries\.1\.id/],
      [{ platform: "openai", id: "good" }, /entries\.1 \(good\)\.id/],
      [{ platform: "openai", label: "x".repeat(201) }, /entries\.1\.label/],
      [{ platform: "openai", label: 1 }, /entries\.1\.label/],
      [{ platform: "openai", credentials: "key" }, /entries\.1\.credentials/],
      [{ platform: "openai", credentials: { apiKey: 5 } }, /entries\.1\.credentials\.apiKey/],
      [{ platform: "openai", credentials: { apiKey: "line\nbreak-in-a-key" } }, /entries\.1\.credentials\.apiKey/],
      [{ platform: "openai", credentials: { apiKey: "x".repeat(20_000) } }, /entries\.1\.credentials\.apiKey/],
      [{ platform: "openai", credentials: { "a b": "x" } }, /entries\.1\.credentials/],
      [url("no url"), /entries\.1\.credentials\.baseUrl/],
      [url("ftp://a.example/v1"), /entries\.1\.credentials\.baseUrl/],
      [url("https://user:pass@a.example/v1"), /entries\.1\.credentials\.baseUrl/],
      [url("https://a.example/v1?key=1"), /entries\.1\.credentials\.baseUrl/],
      [url("https://a.example/v1#x"), /entries\.1\.credentials\.baseUrl/],
      [url(`https://a.example/${"x".repeat(2100)}`), /entries\.1\.credentials\.baseUrl/],
      [url("http://127.0.0.1:9/v1"), /entries\.1\.credentials\.baseUrl: .*private address/],
      [url("http://localhost/v1"), /entries\.1\.credentials\.baseUrl: .*private address/],
      [url("http://[::1]/v1"), /entries\.1\.credentials\.baseUrl: .*private address/],
      [url("http://10.1.2.3/v1"), /entries\.1\.credentials\.baseUrl: .*private address/],
      [url("http://0x7f000001/v1"), /entries\.1\.credentials\.baseUrl: .*private address/],
      [url("http://169.254.169.254/latest"), /entries\.1\.credentials\.baseUrl: .*private address/],
      [{ platform: "other", credentials: { baseUrl: "http://192.168.0.1" } }, /baseUrl: .*private address/],
      [{ platform: "openai", options: [] }, /entries\.1\.options/],
      [{ platform: "openai", options: { llm: { model: 3 } } }, /entries\.1\.options\.llm\.model/],
      [{ platform: "openai", options: { tts: { voice: " " } } }, /entries\.1\.options\.tts\.voice/],
      [{ platform: "openai", options: { llm: "m" } }, /entries\.1\.options\.llm/],
      [{ platform: "openai", options: { x: "y".repeat(17_000) } }, /entries\.1\.options/],
      [{ platform: "openai", options: { llm: { apiKey: KEY } } }, /entries\.1\.options\.llm\.apiKey: .*credentials/],
      [{ platform: "other", metadata: { deep: [{ API_KEY: KEY }] } }, /entries\.1\.metadata\.deep\.0\.API_KEY/],
      [{ platform: "openai", metadata: { x: "y".repeat(9_000) } }, /entries\.1\.metadata/],
      [{ platform: "openai", clearSecrets: "apiKey" }, /entries\.1\.clearSecrets/],
      [{ platform: "openai", clearSecrets: [7] }, /entries\.1\.clearSecrets/],
    ];
    for (const [entry, message] of bad) {
      const { status, body } = await put([good, entry]);
      t.equal(status, 400, JSON.stringify(entry).slice(0, 80));
      t.match(body.error.message, message);
      t.notMatch(body.error.message, new RegExp(KEY));
    }
    for (const entries of [undefined, null, {}, "x", Array.from({ length: 51 }, () => good)]) {
      t.equal((await put(entries)).status, 400);
    }
    t.same((await get()).body.providers.entries, []);
  });
});

t.test("private addresses are allowed where the operator allows them", async (t) => {
  await withIdleApi(
    async (api) => {
      const { put } = await asOwner(api);
      t.equal((await put([{ platform: "openai", credentials: { baseUrl: "http://127.0.0.1:9/v1" } }])).status, 200);
    },
    { environment: { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" } },
  );
});

t.test("the list is its account's alone", async (t) => {
  await withIdleApi(async (api) => {
    const ada = await asOwner(api);
    const eve = await asOwner(api, `/v2/${ada.userId}/providers`);
    await ada.put([{ id: "a", platform: "openai", credentials: { apiKey: KEY } }]);
    const refused = { status: 403, body: { error: { code: "FORBIDDEN" } } };
    t.match(await eve.get(), refused);
    t.match(await eve.put([]), refused);
    t.match(await api.call("GET", `/v2/${ada.userId}/providers`), { status: 401 });
    t.equal((await ada.get()).body.providers.entries.length, 1);
    const bea = await asOwner(api);
    await bea.put([{ id: "a", platform: "openai" }]);
    t.same((await bea.get()).body.providers.entries[0].secrets, {}, "another account's id means nothing");
  });
});

t.test("two lists that are written at once are not mixed", async (t) => {
  await withIdleApi(async (api) => {
    const { put, get } = await asOwner(api);
    const listOf = (name: string) => [1, 2, 3].map((number) => ({ id: `${name}${number}`, platform: "openai" }));
    await Promise.all([put(listOf("a")), put(listOf("b")), put(listOf("c"))]);
    const ids = (await get()).body.providers.entries.map(({ id }: { id: string }) => id);
    t.match(ids.join(), /^(a1,a2,a3|b1,b2,b3|c1,c2,c3)$/);
  });
});

for (const [title, stalled] of [
  ["stays silent", "silence"],
  ["fails after 4 s", { rcode: 2, afterMs: 4_000 }],
] as [string, NameAnswer][]) {
  t.test(`a list of fifty names of a name server that ${title} delays no look-up of another account`, async (t) => {
    const answerTo = (name: string) =>
      name === "inside.example" ? { addresses: ["10.0.0.7"] } : (stalled as NameAnswer);
    await withNameServer(answerTo, async ({ address, asked }) => {
      const resolveHost = createHostResolver({ servers: [address] });
      await withIdleApi(
        async (api) => {
          const [ada, bob] = [await asOwner(api), await asOwner(api)];
          const at = (host: string) => ({ platform: "openai", credentials: { baseUrl: `https://${host}/v1` } });
          const startMs = performance.now();
          const names = Array.from({ length: 50 }, (_, index) => `n${index}.slow.example`);
          const listed = ada.put(names.map(at));
          await waitFor(() => asked.some((name) => name.endsWith(".slow.example")), "a look-up of the list");
          t.equal(new Set(asked).size, 1, "one name of the list at a time");

          const otherMs = performance.now();
          t.match(await bob.put([at("inside.example")]), { status: 400 }, "another account's name is looked up");
          t.ok(performance.now() - otherMs < 1_000, "at once");
          await lookup("localhost");
          t.ok(performance.now() - otherMs < 1_500, "the system's look-ups run, too");
          t.equal((await listed).status, 200, "names that do not resolve are checked at each connection");
          t.ok(performance.now() - startMs < 6_000, "the whole list has one time limit");
          t.ok(new Set(asked).size < 6);
        },
        { resolveHost },
      );
    });
  });
}
