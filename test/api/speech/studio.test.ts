// Designed voices: their axes, previews and codes, with the formant voice, which costs little.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { readWav } from "../../../src/signal/audio/wav.ts";
import { LANGUAGE_CODES } from "../../../src/speech/languages/languages.ts";
import { voicesFolder } from "../../../src/speech/voice/fetched/fetched-voices.ts";
import { measureVoicePitch } from "../../../src/speech/voice/measuring/voice-pitch.ts";
import { designedVoiceCode, parseDesignedVoice } from "../../../src/speech/voice/shaping/designed-voice.ts";
import { NEUTRAL_AXES } from "../../../src/speech/voice/shaping/voice-axes.ts";
import { VOICE_IDS } from "../../../src/speech/voice/voice-catalogue.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { type TestAnswer, withIdleApi } from "../../helpers/service/with-api.ts";
import { writeSmallVoice } from "../../helpers/speech/small-piper-voice.ts";

const TEXT = "We shall see what the morning brings us, and go on from there.";
const AXES = ["gender", "pitch", "rate", "brightness"];

await t.test("designed voices", { timeout: 60_000 }, (t) =>
  withIdleApi(
    async (api) => {
      const { account, secret } = await api.addAccount();
      const get = async (path: string) => (await api.call("GET", path, { secret })).body;
      const post = (path: string, body: object) => api.call("POST", path, { secret, body });
      const transcribe = async (path: string, body: object) => {
        const headers = { "api-secret": secret, "content-type": "application/json" };
        const answer = await fetch(api.baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
        t.match([answer.status, answer.headers.get("content-type")], [200, "audio/wav"]);
        const { samples, sampleRateHz } = readWav(Buffer.from(await answer.arrayBuffer()));
        return {
          code: answer.headers.get("x-voice-code") ?? "",
          seconds: samples.length / sampleRateHz,
          pitchHz: measureVoicePitch(samples, sampleRateHz)?.medianHz ?? 0,
        };
      };
      const isNear = (left: number, right: number) => Math.abs(left / right - 1) < 0.06;

      await t.test("the axes are listed, with the place of each voice", async (t) => {
        const { axes } = await get("/v1/studio/axes");
        t.same(
          axes.map(({ name }: { name: string }) => name),
          AXES,
        );
        for (const { name, description, suggested_min, suggested_max, anchor_projections } of axes) {
          t.match([suggested_min, suggested_max, description], [-0.3, 0.3, /\S{3}/]);
          t.same(Object.keys(anchor_projections), VOICE_IDS);
          const values = Object.values<number>(anchor_projections);
          t.ok(Math.abs(values.reduce((sum, value) => sum + value, 0)) < 0.01, `the mean of ${name} is 0`);
          t.ok(Math.max(...values) > 0.05 && values.every((value) => Math.abs(value) < 1));
        }
        const [{ anchor_projections: gender }] = axes;
        t.ok(Math.min(gender.F1, gender.F2, gender.F3) > Math.max(gender.M1, gender.M2, gender.M3));
      });

      await t.test("a preview sounds as its code does, and stores nothing", async (t) => {
        const plain = await transcribe("/v1/studio/preview", { text: TEXT, base_voice: "M1" });
        t.same(parseDesignedVoice(plain.code), { baseVoiceId: "M1", axes: NEUTRAL_AXES });
        const axes = { pitch: 0.3, rate: -0.3 };
        const preview = await transcribe("/v1/studio/preview", { text: TEXT, base_voice: "M1", axes, language: "en" });
        t.ok(isNear(preview.pitchHz, plain.pitchHz * 2 ** 0.3), `${plain.pitchHz} to ${preview.pitchHz} Hz`);
        t.ok(isNear(preview.seconds, plain.seconds * 2 ** 0.3), `${plain.seconds} to ${preview.seconds} s`);
        // The code wins over the other fields.
        const spoken = await transcribe("/v1/tts", {
          text: TEXT,
          voice_code: preview.code,
          voice: "F5",
          axes: { pitch: -0.3 },
        });
        t.ok(isNear(spoken.pitchHz, preview.pitchHz) && isNear(spoken.seconds, preview.seconds));
        const byAxes = await transcribe("/v1/tts", { text: TEXT, voice: "M1", axes: { ...axes, gender: null } });
        t.ok(isNear(byAxes.pitchHz, preview.pitchHz) && isNear(byAxes.seconds, preview.seconds));
        t.equal((await get("/v1/voices")).voices.length, 10);
      });

      await t.test("a voice that the operator has fetched is listed, and speaks", async (t) => {
        const folder = join(voicesFolder(api.services.config.disk.dataDir), "en_US-own-low");
        await writeSmallVoice(folder, "en-us");
        const { voices } = await get("/v1/voices");
        t.same(voices[10], {
          id: "en_US-own-low",
          kind: "builtin",
          name: "en_US-own-low",
          languages: ["en"],
          agents: [],
        });
        t.ok((await transcribe("/v1/tts", { text: TEXT, voice: "en_US-own-low" })).seconds > 2);
        t.ok((await transcribe("/v1/audio/speech", { input: TEXT, voice: "en_US-own-low:0" })).seconds > 2);
        t.equal((await post("/v1/tts", { text: TEXT, voice: "en_US-own-low:1" })).status, 400, "it has one speaker");
        await rm(folder, { recursive: true });
        t.match(await post("/v1/tts", { text: TEXT, voice: "en_US-own-low" }), { status: 400 });
      });

      await t.test("an agent speaks with a designed voice, which is then one of the account's", async (t) => {
        const code = designedVoiceCode({ baseVoiceId: "F2", axes: { ...NEUTRAL_AXES, gender: -0.2 } });
        const agentCode = await addAgent(api.services, { userId: account.userId });
        t.match(await post(`/v1/agent/${agentCode}`, { voice: code }), { status: 200, body: { updated: true } });
        t.equal((await get(`/v1/agent/${agentCode}`)).data.voice_id, code);
        const { voices } = await get("/v1/voices");
        t.match(voices[0], { id: "M1", kind: "builtin", name: "Alex", gender: "male", languages: LANGUAGE_CODES });
        t.match(voices[10], { id: code, kind: "custom", gender: "female", agents: [{ code: agentCode }] });
        t.same(voices[0].agents, [], "an agent is named with its own voice alone");
        const other = await api.addAccount();
        t.equal((await api.call("GET", "/v1/voices", other)).body.voices.length, 10);
        t.match(await post(`/v1/agent/${agentCode}`, { voice: "F4", system_prompt: "Be brief." }), { status: 200 });
        t.match(await get(`/v1/agent/${agentCode}`), { data: { voice_id: "F4", system_prompt: "Be brief." } });
        t.match(await post(`/v1/agent/${agentCode}`, { voice: "bv1_x" }), { status: 404 });
        t.match(await post(`/v1/agent/${agentCode}`, { voice: "X9" }), { status: 400 });
      });

      await t.test("what is no voice is refused", async (t) => {
        const good = designedVoiceCode({ baseVoiceId: "F2", axes: NEUTRAL_AXES });
        const codes = [
          crypto.randomUUID(),
          "bv1_",
          `${good.slice(0, -1)}_`,
          "bv1_revoked",
          good.replace("bv1", "bv2"),
          "M1",
        ];
        for (const code of codes) {
          const answer = await post("/v1/tts", { text: TEXT, voice_code: code });
          t.match(answer, { status: 404, body: { error: { code: "VOICE_NOT_FOUND" } } }, code);
        }
        const unknown = { text: TEXT, voice: "M1", axes: { warmth: 0.1 }, colour: "red" };
        t.match(await post("/v1/tts", unknown), { status: 200 }, "an unknown axis is ignored, like an unknown field");
        const refusals: [string, Promise<TestAnswer>, RegExp][] = [
          ["an axis beyond its range", post("/v1/tts", { text: TEXT, axes: { pitch: 0.51 } }), /pitch/],
          ["an axis below it", post("/v1/tts", { text: TEXT, axes: { gender: -0.51 } }), /gender/],
          ["an axis in words", post("/v1/tts", { text: TEXT, axes: { rate: "0.1" } }), /rate/],
          ["a list", post("/v1/tts", { text: TEXT, axes: [0.1] }), /axes/],
          ["a preview without a voice", post("/v1/studio/preview", { text: TEXT }), /base_voice/],
          ["of an unknown one", post("/v1/studio/preview", { text: TEXT, base_voice: "X9" }), /base_voice.*M1/],
          ["of a code", post("/v1/studio/preview", { text: TEXT, base_voice: good }), /base_voice.*M1/],
          ["without words", post("/v1/studio/preview", { text: " ", base_voice: "M1" }), /no words/],
          ["beyond the range", post("/v1/studio/preview", { text: "Hi", base_voice: "M1", axes: { rate: 9 } }), /rate/],
        ];
        for (const [title, sent, message] of refusals)
          t.match(await sent, { status: 400, body: { error: { message } } }, title);
      });
    },
    { environment: { AVATAR_VOICE: "formant" } },
  ),
);
