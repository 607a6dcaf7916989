// LiveKit's speech recognition with OpenAI's protocol, unchanged, through relay and api to a worker's realtime server.
import { readFileSync } from "node:fs";
import { initializeLogger, stt } from "@livekit/agents";
import * as openai from "@livekit/agents-plugin-openai";
import { AudioFrame } from "@livekit/rtc-node";
import t from "tap";
import { Resampler } from "../../src/signal/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../src/signal/audio/samples.ts";
import { readWav } from "../../src/signal/audio/wav.ts";
import { REALTIME_WORKER, withRealtimeServer } from "../helpers/servers/with-realtime-server.ts";
import { type RelayStage, withRelay } from "../helpers/service/with-relay.ts";

const wav = readWav(readFileSync(new URL("../fixtures/speech/weather-en.wav", import.meta.url)));
const RATE_HZ = 24_000;
const resampler = new Resampler(wav.sampleRateHz, RATE_HZ);
const WEATHER = toInt16Samples(
  Float32Array.from([...resampler.push(toFloatSamples(wav.samples)), ...resampler.flush()]),
);
const SENTENCE = "The weather will stay warm and sunny for several days.";

t.setTimeout(120_000);
initializeLogger({ pretty: false, level: "silent" });

/** With a worker that takes at most `mostTranscriptions` of these sessions. */
function withTranscriptions(mostTranscriptions: number, work: (stage: RelayStage) => Promise<void>): Promise<void> {
  return withRelay({}, (stage) =>
    withRealtimeServer({ livekit: stage.api.services.livekit, mostTranscriptions }, async ({ url }) => {
      const { database } = stage.api.services;
      await database
        .insertInto("avatar_workers")
        .values({
          id: REALTIME_WORKER,
          providers: ["cpu"],
          active_sessions: 0,
          max_sessions: 1,
          last_seen_at: new Date(stage.api.clock.now()),
          relay_url: url,
          realtime_slots: 16,
        })
        .execute();
      await work(stage);
    }),
  );
}

t.test("LiveKit's plugin transcribes a sentence by base URL and key alone, without a credit", async (t) => {
  await withTranscriptions(1, async ({ api, url, refused }) => {
    const { secret } = await api.addAccount({ plan: "creator", credits: 0 });
    const baseURL = url.replace("ws:", "http:").replace("/realtime", "");
    const model = "gpt-4o-mini-transcribe";
    const recogniser = new openai.STT({ baseURL, apiKey: secret, useRealtime: true, model, language: "en" });
    const errors: unknown[] = [];
    recogniser.on("error", (error) => errors.push(error));
    const stream = recogniser.stream();
    for (const part of [WEATHER, new Int16Array(2 * RATE_HZ)]) {
      stream.pushFrame(new AudioFrame(part, RATE_HZ, 1, part.length));
    }
    const types: stt.SpeechEventType[] = [];
    let text = "";
    for await (const event of stream) {
      types.push(event.type);
      if (event.type !== stt.SpeechEventType.FINAL_TRANSCRIPT) continue;
      text = event.alternatives?.[0].text ?? "";
      break;
    }
    t.equal(text, SENTENCE);
    t.ok(types.includes(stt.SpeechEventType.START_OF_SPEECH));
    t.same(errors, []);
    const full = await refused({ secret, query: "?intent=transcription" });
    t.match(full, { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE" } } }, "the worker takes one at a time");
    t.match(full.headers, { "retry-after": /^\d+$/ });
    stream.close();
    await recogniser.close();
    t.match(await refused({ secret }), { status: 402 }, "any other call costs credits");
    t.same((await api.call("GET", "/v1/usage", { secret })).body.data, []);
  });
});
