// Creation over HTTP: all status moves of an agent, configured and uploaded models and samples, and idempotency.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import t from "tap";
import { balanceOf } from "../../../api/accounts/credits/ledger.ts";
import { createApi } from "../../../api/create-api.ts";
import { sweepAnswers } from "../../../api/kernel/http/idempotency.ts";
import { parseConfig } from "../../../program/config.ts";
import { createLogger } from "../../../program/log.ts";
import { writeWav } from "../../../src/signal/audio/wav.ts";
import { parseDesignedVoice } from "../../../src/speech/voice/shaping/designed-voice.ts";
import { withModelServer } from "../../helpers/servers/with-model-server.ts";
import { untilAgent } from "../../helpers/service/until-agent.ts";
import { type TestApi, withApi } from "../../helpers/service/with-api.ts";

const astronaut = readFileSync(new URL("../../fixtures/portraits/astronaut.png", import.meta.url));

/** Records every state of an agent in the database, because polling would miss short ones. */
async function noteMoves({ services }: TestApi): Promise<() => Promise<string[]>> {
  const { database } = services;
  await sql`create table moves (number bigserial primary key, state text not null)`.execute(database);
  await sql`
    create function note_move() returns trigger language plpgsql as $$
    begin
      insert into moves (state) values (new.status || ' ' || round(new.progress::numeric, 2) || ' ' || new.current_step);
      return new;
    end $$`.execute(database);
  await sql`create trigger note_moves after insert or update on agents for each row execute function note_move()`.execute(
    database,
  );
  return async () => {
    const { rows } = await sql<{ state: string }>`select state from moves order by number`.execute(database);
    return rows.map(({ state }) => state).filter((state, i, all) => state !== all[i - 1]);
  };
}

/** One second of a hum at a pitch, as a WAV file. */
function hum(pitchHz: number): Buffer {
  const sampleRateHz = 16_000;
  const samples = Int16Array.from({ length: sampleRateHz }, (_, i) => {
    const phase = (2 * Math.PI * pitchHz * i) / sampleRateHz;
    return 6000 * (Math.sin(phase) + 0.7 * Math.sin(2 * phase) + 0.5 * Math.sin(3 * phase));
  });
  return Buffer.from(writeWav({ samples, sampleRateHz }));
}

t.test(
  "an agent's status follows the contract's table; persona and portrait come from the configured models",
  async (t) => {
    await withModelServer(
      ({ path }, server) => {
        if (path === "/v1/picture.png") return { bytes: astronaut };
        if (path === "/v1/images/generations") return { json: { data: [{ url: `${server.baseUrl}/picture.png` }] } };
        const written = {
          name: "Sally",
          description: "An astronaut with stories.",
          system_prompt: "You are Sally, an astronaut. You tell stories.",
          language: "en",
        };
        return { json: { choices: [{ message: { content: JSON.stringify(written) } }] } };
      },
      async (models) => {
        const environment = {
          OPENAI_BASE_URL: models.baseUrl,
          OPENAI_API_KEY: "key-1",
          OPENAI_IMAGES_BASE_URL: models.baseUrl,
          OPENAI_IMAGES_API_KEY: "key-2",
          OPENAI_IMAGES_MODEL: "painter-1",
        };
        await withApi(
          async (api) => {
            const moves = await noteMoves(api);
            const { secret } = await api.addAccount({ credits: 1000 });
            const body = {
              prompt: "A former astronaut who tells stories of her flights. She loves questions.",
              model: "essence-2",
              audio: `data:audio/wav;base64,${hum(245).toString("base64")}`,
              aspect_ratio: "1:1",
            };
            const created = await api.call("POST", "/v1/agent/generate", { secret, body });
            t.match(created, { status: 200, body: { status: "processing" } });
            const agent = await untilAgent(api, secret, created.body.agent_id);
            t.match(agent, {
              status: "ready",
              name: "Sally",
              description: "An astronaut with stories.",
              system_prompt: "You are Sally, an astronaut. You tell stories.",
              gender: "female",
              voice_id: /^bv1_/,
            });
            const designed = parseDesignedVoice(agent.voice_id);
            t.match(designed, { baseVoiceId: "F2", axes: { rate: 0, brightness: 0 } });
            const hz = 201 * 2 ** (designed?.axes.pitch ?? 0);
            t.ok(Math.abs(hz - 245) < 5, `a voice of ${hz.toFixed(0)} Hz`);
            const seen = await moves();
            const expected = [
              /^processing 0.00 payment$/,
              /^generating 0.02 payment$/,
              /^generating 0.02 persona$/,
              /^completed 0.15 persona$/,
              /^generating 0.15 voice_image$/,
              /^completed 0.20 voice_image$/,
              /^generating 0.20 voice_image$/,
              /^generating 0.70 lip_sync$/,
              ...seen.slice(8, -3).map(() => /^generating 0\.[789]\d lip_sync$/),
              /^generating 0.99 lip_sync$/,
              /^completed 1.00 done$/,
              /^ready 1.00 done$/,
            ];
            t.equal(seen.length, expected.length, seen.join(", "));
            for (const [i, pattern] of expected.entries()) t.match(seen[i], pattern);

            t.match(
              models.requests.map(({ path, authorization }) => `${path} ${authorization}`),
              ["/v1/chat/completions Bearer key-1", "/v1/images/generations Bearer key-2", "/v1/picture.png undefined"],
            );
            t.match(models.requests[1].body, {
              model: "painter-1",
              prompt: /Photorealistic.*Sally.*facing the camera/,
            });
            const portrait = Buffer.from(await (await fetch(agent.image_url)).arrayBuffer());
            t.ok(portrait.length > 20_000, "the image that was made");
            const stored = await api.services.database.selectFrom("agents").select("gallery_id").executeTakeFirst();
            t.equal(stored?.gallery_id, null);
            // A caller must not reach addresses that the operator may reach, neither by name nor through the models'
            // client.
            const smuggled = { image: `${models.baseUrl}/picture.png`, model: "essence-2" };
            t.match((await api.call("POST", "/v1/agent/generate", { secret, body: smuggled })).body.error, {
              code: "VALIDATION_ERROR",
              message: /not publicly reachable/,
            });
          },
          { environment },
        );
      },
    );
  },
);

t.test(
  "if the models fail, the prompt and the gallery are used; a voice sample is checked before billing",
  async (t) => {
    await withModelServer(
      ({ path }) =>
        path === "/v1/images/generations"
          ? { json: { data: [{ b64_json: "bm8gcGljdHVyZQ==" }] } }
          : { status: 500, json: {} },
      async (models) => {
        await withApi(
          async (api) => {
            const { account, secret } = await api.addAccount({ credits: 300 });
            const generate = (body: object) => api.call("POST", "/v1/agent/generate", { secret, body });
            const silent = Buffer.from(writeWav({ samples: new Int16Array(16_000), sampleRateHz: 16_000 }));
            const refused: [string, string, number, string, RegExp][] = [
              [
                "no audio",
                Buffer.from("plain text, no audio at all").toString("base64"),
                400,
                "VALIDATION_ERROR",
                /audio file cannot be decoded/,
              ],
              ["silence", silent.toString("base64"), 400, "VALIDATION_ERROR", /no speech/],
              ["an image", "data:image/png;base64,AAAA", 400, "VALIDATION_ERROR", /data URI in audio/],
              ["empty", "", 400, "VALIDATION_ERROR", /audio is empty/],
              ["a private address", "http://127.0.0.1:1/a.wav", 400, "VALIDATION_ERROR", /not publicly reachable/],
            ];
            for (const [name, audio, status, code, message] of refused) {
              t.match(
                await generate({ audio, model: "expression-1" }),
                { status, body: { error: { code, message } } },
                name,
              );
            }
            t.equal((await balanceOf(api.services.database, account.userId)).total, 300);
            const prompt = "You are Theo, who answers in German. He is a baker.";
            const created = await generate({ prompt, model: "expression-1", audio: hum(92).toString("base64") });
            t.match(await untilAgent(api, secret, created.body.agent_id), {
              status: "ready",
              name: "Theo",
              system_prompt: prompt,
              language: "de",
              gender: "male",
              voice_id: /^bv1_/,
            });
            const stored = await api.services.database.selectFrom("agents").select("gallery_id").executeTakeFirst();
            t.ok(stored?.gallery_id, "a face of the gallery");
          },
          { environment: { OPENAI_BASE_URL: models.baseUrl, OPENAI_IMAGES_BASE_URL: models.baseUrl } },
        );
      },
    );
  },
);

t.test(
  "an idempotency key is valid for a day in every process, even if the first request used up a limit",
  async (t) => {
    await withApi(
      async (api) => {
        const { account, secret } = await api.addAccount({ plan: "creator", credits: 300 });
        const dayLater = await secondApi(api, "2026-11-22T13:00:00Z");
        const beside = await secondApi(api, "2026-11-21T12:00:00Z");
        t.teardown(() => Promise.all([dayLater.close(), beside.close()]));
        const send = async (baseUrl: string, body: object, key: string) => {
          const headers = { "api-secret": secret, "idempotency-key": key, "content-type": "application/json" };
          const response = await fetch(`${baseUrl}/v1/agent/generate`, {
            method: "POST",
            headers,
            body: JSON.stringify(body),
          });
          return {
            status: response.status,
            replayed: response.headers.get("idempotency-replayed"),
            body: await response.json(),
          };
        };
        const body = { prompt: "Hello.", model: "expression-1", agent_id: "only-one" };
        const answers = await Promise.all(
          [api.baseUrl, beside.baseUrl, api.baseUrl, beside.baseUrl].map((baseUrl) => send(baseUrl, body, "key-1")),
        );
        t.same(
          answers.map(({ status }) => status),
          [200, 200, 200, 200],
          "no repeat is refused for credits, code or state",
        );
        t.same(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1);
        t.equal(answers.filter(({ replayed }) => replayed === "true").length, 3);
        t.equal((await balanceOf(api.services.database, account.userId)).total, 50, "charged once");
        t.match(await send(beside.baseUrl, { ...body, prompt: "Other." }, "key-1"), {
          status: 409,
          body: { error: { code: "VALIDATION_ERROR", message: /used with a different body/ } },
        });
        const broke = { prompt: "One more.", model: "expression-1" };
        t.match(await send(api.baseUrl, broke, "key-2"), { status: 402, replayed: null });
        t.match(await send(api.baseUrl, broke, "key-2"), { status: 402, replayed: null }, "a refusal is not kept");
        const stranger = await api.addAccount({ credits: 300 });
        const headers = { "idempotency-key": "key-1" };
        const own = await api.call("POST", "/v1/agent/generate", { secret: stranger.secret, headers, body: broke });
        t.match(own, { status: 200 }, "keys belong to their account");

        await untilAgent(api, secret, "only-one");
        const late = await send(dayLater.baseUrl, { ...body, model: "essence-1" }, "key-1");
        t.match(late, { status: 402, replayed: null }, "a day later the key is free again, and this one costs");
        t.match(
          await send(api.baseUrl, body, "key-1"),
          { status: 200, replayed: "true" },
          "while its day lasts it is not",
        );
        await sweepAnswers(api.services.database, new Date("2026-11-22T13:00:00Z"));
        const left = await api.services.database.selectFrom("idempotency_keys").select("key").execute();
        t.same(left, []);
      },
      { environment: { AVATAR_NOW: "2026-11-21T12:00:00Z" } },
    );
  },
);

t.test("a third concurrent essence-2 agent fails without a charge, and its error says so", async (t) => {
  await withApi(async (api) => {
    const { account, secret } = await api.addAccount({ credits: 2000 });
    const rows = ["first", "second"].map((code) => ({
      user_id: account.userId,
      code: `busy-${code}`,
      name: "x",
      system_prompt: "x",
      model: "essence-2" as const,
      status: "generating" as const,
      // As if they waited for face marks, so that nothing changes them during the test.
      waiting_since: new Date(),
      created_at: new Date(),
      updated_at: new Date(),
    }));
    const agents = await api.services.database.insertInto("agents").values(rows).returning("id").execute();
    const models = agents.map(({ id }) => ({
      agent_id: id,
      family: "essence-2" as const,
      state: "pending" as const,
      credits: 500,
      charge_reference: `test:${id}`,
      requested_at: new Date(),
    }));
    await api.services.database.insertInto("agent_models").values(models).execute();
    const third = await api.call("POST", "/v1/agent/generate", { secret, body: { model: "essence-2", prompt: "Hi." } });
    t.match(third, { status: 200, body: { success: true } });
    t.match(await untilAgent(api, secret, third.body.agent_id), {
      status: "failed",
      error_message: /2 essence-2 agents are being made already. Nothing was charged/,
      model_status: {},
    });
    t.equal((await balanceOf(api.services.database, account.userId)).total, 2000);
  });
});

/** A second api on the same database, with its own clock. The first one runs its jobs. */
async function secondApi(api: TestApi, now: string): Promise<{ baseUrl: string; close(): Promise<void> }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const second = await createApi({
    config: parseConfig({ PORT: String(port), AVATAR_DATA_DIR: api.services.config.disk.dataDir, AVATAR_NOW: now }),
    pool: api.services.pool,
    livekit: { url: "ws://127.0.0.1:9", apiKey: "none", apiSecret: "no-server-no-server-no-server-no-server" },
    logger: createLogger({ name: "test", level: "silent" }),
  });
  server.on("request", second.app.callback());
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await second.close();
    },
  };
}
