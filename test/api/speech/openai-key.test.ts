// The credential of OpenAI's clients: an API secret as Bearer, on /v1/audio/* and /v1/models alone.
import OpenAI from "openai";
import t from "tap";
import { type TestApi, withIdleApi } from "../../helpers/service/with-api.ts";

const WRONG = "x".repeat(65);

const error = (status: number, code: string) => ({ status, body: { error: { code } } });
const forget = (api: TestApi) => api.services.pool.query("delete from rate_buckets");

t.test("a Bearer secret opens /v1/audio/* and /v1/models, and nothing else", (t) =>
  withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount();
    const open = [
      ["POST", "/v1/audio/speech"],
      ["POST", "/v1/audio/transcriptions"],
      ["GET", "/v1/models"],
      ["GET", "/v1/models/none"],
    ] as const;
    const ask = (method: string, path: string, credential: { secret?: string; bearer?: string }) =>
      api.call(method, path, { ...credential, body: method === "POST" ? {} : undefined });
    const { body } = await api.call("POST", "/v1/runtime-tokens/request", { secret, body: {} });
    for (const [method, path] of open) {
      t.ok([200, 400, 404, 415].includes((await ask(method, path, { bearer: secret })).status), `${method} ${path}`);
      t.notMatch(await ask(method, path, { secret, bearer: WRONG }), { status: 401 }, "api-secret wins");
      t.match(await ask(method, path, { secret: WRONG, bearer: secret }), error(401, "UNAUTHORIZED"), "also if wrong");
      t.match(await ask(method, path, { bearer: WRONG }), error(401, "UNAUTHORIZED"));
      t.match(await ask(method, path, {}), { ...error(401, "MISSING_AUTH"), body: { error: { message: /Bearer/ } } });
      t.match(await ask(method, path, { bearer: body.data.token }), error(401, "MISSING_AUTH"), "a token is no secret");
      await forget(api);
    }
    for (const [method, path] of [
      ["POST", "/v1/tts"],
      ["GET", "/v1/voices"],
      ["GET", "/v1/agents"],
      ["GET", "/v1/me"],
      ["GET", `/v2/${account.userId}/api-secrets`],
    ]) {
      t.match(await ask(method, path, { bearer: secret }), error(401, "MISSING_AUTH"), `${method} ${path}`);
    }
    t.same((await ask("POST", "/v1/validate", { bearer: secret })).body, { valid: false });
    t.same((await ask("POST", "/v1/validate", { secret })).body, { valid: true });
    t.match(await ask("POST", "/v1/audio/translations", { bearer: secret }), error(404, "NOT_FOUND"));
  }),
);

t.test("the models are those that OpenAI's clients may name here", (t) =>
  withIdleApi(
    async (api) => {
      const { secret } = await api.addAccount({ plan: "creator" });
      const client = new OpenAI({ baseURL: `${api.baseUrl}/v1`, apiKey: secret, maxRetries: 0 });
      const ids: string[] = [];
      for await (const model of client.models.list()) {
        t.match(model, { id: String, object: "model", created: Number, owned_by: String });
        ids.push(model.id);
      }
      const expected = ["gpt-4o-mini-tts", "gpt-transcribe", "own/voice", "service-realtime", "tts-1", "whisper-1"];
      for (const id of expected) t.ok(ids.includes(id), id);
      t.notOk(ids.includes("for-business"), "what this plan may not call is not listed");
      t.match(await client.models.retrieve("whisper-1"), { id: "whisper-1", object: "model" });
      t.match(await client.models.retrieve("own/voice"), { id: "own/voice", owned_by: "operator" });
      const missing = await client.models.retrieve("gpt-9").catch((thrown: unknown) => thrown);
      t.ok(missing instanceof OpenAI.NotFoundError);
      t.match(missing, { message: /gpt-9/ });
    },
    {
      environment: {
        AVATAR_REALTIME_UPSTREAMS: JSON.stringify([
          { name: "own/voice", base_url: "http://127.0.0.1:9/v1" },
          { name: "for-business", base_url: "http://127.0.0.1:9/v1", plan: "business" },
        ]),
      },
    },
  ),
);
