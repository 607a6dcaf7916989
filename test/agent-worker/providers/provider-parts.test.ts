// Language model, speech recognition and voice on servers of an account: real requests to a real server, under the
// guard.
import { Writable } from "node:stream";
import { inspect } from "node:util";
import t from "tap";
import { ProviderHealth } from "../../../agent-worker/providers/provider-health.ts";
import { ProviderParts } from "../../../agent-worker/providers/provider-parts.ts";
import { ProviderRequests } from "../../../agent-worker/providers/provider-requests.ts";
import { createLogger } from "../../../program/log.ts";
import type { GuardPolicy } from "../../../program/outgoing/address-guard.ts";
import type { JobProvider } from "../../../shared/runtime-api.ts";
import { LanguageModel } from "../../../src/conversation/llm/language-model.ts";
import type { SpokenPiece, Voice } from "../../../src/speech/voice/voice.ts";
import {
  type ProviderServer,
  replyWell,
  replyWith,
  toneBytes,
  withProviderServer,
} from "../../helpers/servers/with-provider-server.ts";

const KEY = "sk-the-key-of-the-account";
const OPEN: GuardPolicy = { allowPrivate: true };
const TURN = { instructions: "Be kind.", history: [{ role: "user" as const, text: "Does it work?" }] };
const OWN_RATE_HZ = 22_050;

/** The service's voice, as far as a fallback needs it: a tone of .1 s for each sentence. */
class OwnVoice implements Voice {
  readonly texts: string[] = [];

  async *synthesize(text: string): AsyncGenerator<SpokenPiece> {
    this.texts.push(text);
    const words = [{ text: text.trim(), startMs: 0, endMs: 100, fromCharacter: 0, toCharacter: text.length }];
    const sentence = { text, phonemes: [], words, visemes: [] };
    const samples = new Int16Array(OWN_RATE_HZ / 10).fill(1_000);
    yield { sampleRateHz: OWN_RATE_HZ, samples, sentence, endsSentence: true };
  }

  async close(): Promise<void> {}
}

/** Parts on a server, with what they tell. */
async function withParts(
  work: (stage: {
    server: ProviderServer;
    parts: ProviderParts;
    faults: string[];
    log: () => string;
    own: OwnVoice;
    voice: Voice;
    countOfOwn: () => number;
    stt: { transcribe(): Promise<string> };
  }) => Promise<void>,
  policy: GuardPolicy = OPEN,
  timeouts: { sttTimeoutMs?: number; voiceTimeoutMs?: number } = {},
): Promise<void> {
  await withProviderServer(async (server) => {
    const provider: JobProvider = {
      provider_id: "mine",
      base_url: server.baseUrl,
      api_key: KEY,
      model: "m",
      voice: "nova",
    };
    const lines: string[] = [];
    const stream = new Writable({ write: (line, _encoding, done) => done(void lines.push(String(line))) });
    const faults: string[] = [];
    const parts = new ProviderParts({
      providers: { llm: provider, stt: provider, tts: provider },
      policy,
      ...timeouts,
      onFault: (part) => faults.push(part),
      logger: createLogger({ level: "debug", name: "test", stream }),
    });
    const own = new OwnVoice();
    let count = 0;
    const stt = parts.stt({ transcribe: async () => ({ text: `own ${++count}`, language: "en" }) });
    try {
      await work({
        server,
        parts,
        faults,
        log: () => lines.join(""),
        own,
        voice: parts.tts(own),
        countOfOwn: () => count,
        stt: { transcribe: async () => (await stt.transcribe(new Int16Array(16_000), { language: "en-US" })).text },
      });
    } finally {
      parts.close();
    }
  });
}

async function answerOf(llm: ProviderParts["llm"]): Promise<string> {
  let text = "";
  for await (const words of llm?.answer(TURN) ?? []) text += words;
  return text;
}

async function spoken(voice: Voice, text: string): Promise<SpokenPiece[]> {
  const pieces: SpokenPiece[] = [];
  for await (const piece of voice.synthesize(text, { language: "en", voiceId: "F2" })) pieces.push(piece);
  return pieces;
}

t.test(
  "language model, speech recognition and voice of an account get their server's answers, with the account's key",
  async (t) => {
    await withParts(async ({ server, parts, stt, voice, faults, own }) => {
      t.equal(await answerOf(parts.llm), "It works.");
      t.equal(await stt.transcribe(), "Hello there.");
      const pieces = await spoken(voice, "Ten letters.");
      t.ok(pieces.length > 0 && pieces.every(({ sampleRateHz }) => sampleRateHz === 24_000));
      for (const { headers, route } of server.requests) t.equal(headers.authorization, `Bearer ${KEY}`, route);
      const [chat, form, speech] = server.requests.map(({ body }) => body);
      t.match(chat, { model: "m", stream: true });
      t.match(form, /name="model"\r\n\r\nm\r\n[\s\S]*name="language"\r\n\r\nen\r\n[\s\S]*filename="utterance.wav"/);
      t.match(speech, { model: "m", voice: "nova", input: "Ten letters.", response_format: "pcm" });
      t.same([faults, own.texts], [[], []]);
    });
  },
);

t.test("a private address is refused at the connection, and the service's own parts take over", async (t) => {
  await withParts(async ({ server, parts, stt, voice, faults, own }) => {
    await t.rejects(answerOf(parts.llm), { code: "upstream-unavailable" });
    t.equal(await stt.transcribe(), "own 1");
    await spoken(voice, "One sentence.");
    t.same(own.texts, ["One sentence."]);
    t.same(faults, ["stt", "voice"]);
    t.equal(server.requests.length, 0, "nothing reached the server");
  }, {});
});

t.test("a name that turns private between two requests is refused then", async (t) => {
  await withProviderServer(async (server) => {
    const { port } = new URL(server.baseUrl);
    let isPrivate = false;
    const requests = new ProviderRequests({
      allowHosts: [],
      resolveHost: async () => [{ address: isPrivate ? "127.0.0.1" : "93.184.216.34", family: 4 }],
    });
    isPrivate = true;
    const send = requests.chat({ baseUrl: `http://rebound.example:${port}/v1`, apiKey: KEY });
    const error = await send("{}", {}, AbortSignal.timeout(3_000)).then(t.fail, (thrown: unknown) => thrown);
    t.match(inspect(error), /private address/);
    t.notMatch(inspect(error), new RegExp(KEY));
    t.equal(server.requests.length, 0);
    requests.close();
  });
});

t.test("redirects are refused, so that the key goes nowhere else", async (t) => {
  await withProviderServer((other) =>
    withParts(async ({ server, parts, stt, voice, faults, own }) => {
      server.use((request, response) => {
        const routes = { chat: "chat/completions", transcription: "audio/transcriptions", speech: "audio/speech" };
        const path = request.route === "other" ? "" : routes[request.route];
        replyWith(307, { location: `${other.baseUrl}/${path}` })(request, response);
      });
      await t.rejects(answerOf(parts.llm), { code: "program-failed" });
      t.equal(await stt.transcribe(), "own 1");
      await spoken(voice, "One sentence.");
      t.equal(own.texts.length, 1);
      t.same(faults, ["stt", "voice"]);
      t.equal(other.requests.length, 0);
    }),
  );
});

t.test("a wrong key fails at once; neither errors nor logs have a key or the server's words", async (t) => {
  await withParts(async ({ server, parts, stt, voice, log, faults }) => {
    server.use(replyWith(401));
    const error = await answerOf(parts.llm).then(t.fail, (thrown: unknown) => thrown);
    t.match(error, { code: "program-failed", message: /401/ });
    t.equal(server.count("chat"), 1, "it is not repeated");
    t.equal(await stt.transcribe(), "own 1");
    await spoken(voice, "One sentence.");
    t.same(faults, ["stt", "voice"]);
    t.match(log(), /"providerId":"mine"[\s\S]*401/);
    t.notMatch(inspect(error, { depth: 9, showHidden: true }) + log(), /sk-the-key|Bearer/);
    t.notMatch(log(), /Ten letters|One sentence|Hello there/, "nothing that is said is logged");
  });
});

t.test("a model server that is silent for too long is given up after one more attempt", async (t) => {
  await withProviderServer(async (server) => {
    server.use((request, response) => {
      if (server.count("chat") < 3) return;
      replyWell()(request, response);
    });
    const requests = new ProviderRequests(OPEN);
    const settings = { baseUrl: server.baseUrl, apiKey: KEY, model: "m" };
    const llm = new LanguageModel(settings, { request: requests.chat(settings), limits: { firstMs: 100 } });
    const run = async () => {
      let text = "";
      for await (const words of llm.answer(TURN)) text += words;
      return text;
    };
    await t.rejects(run(), { code: "timeout" });
    t.equal(server.count("chat"), 2);
    t.equal(await run(), "It works.", "the next answer tries again");
    requests.close();
  });
});

t.test("speech recognition and voice that are silent for too long are replaced by the service's own", async (t) => {
  await withParts(
    async ({ server, stt, voice, own, faults }) => {
      server.use(({ route }, response) => {
        // The voice begins and stops in the middle.
        if (route === "speech") response.writeHead(200, { "content-type": "audio/pcm" }).write(toneBytes(0.01));
      });
      t.equal(await stt.transcribe(), "own 1");
      await spoken(voice, "One sentence.");
      t.same(own.texts, ["One sentence."]);
      t.same(faults, ["stt", "voice"]);
    },
    OPEN,
    { sttTimeoutMs: 100, voiceTimeoutMs: 100 },
  );
});

t.test("answers that are no answers are refused: pages, endless texts, empty audio", async (t) => {
  await withParts(async ({ server, parts, stt, voice, own, faults }) => {
    server.use(({ route }, response) => {
      if (route === "transcription") response.writeHead(200).end("x".repeat(300_000));
      else if (route === "speech") response.writeHead(200, { "content-type": "audio/pcm" }).end();
      else response.writeHead(200, { "content-type": "text/html" }).end("<html>Welcome</html>");
    });
    await t.rejects(answerOf(parts.llm), { name: "EngineError" });
    t.equal(await stt.transcribe(), "own 1");
    await spoken(voice, "One sentence.");
    t.equal(own.texts.length, 1);
    t.same(faults, ["stt", "voice"]);
  });
});

t.test("after a fault the service's own recogniser works for a time, and an abort is no fault", async (t) => {
  await withParts(async ({ server, stt, countOfOwn, faults }) => {
    server.use(replyWith(500));
    t.equal(await stt.transcribe(), "own 1");
    server.use(replyWell());
    t.equal(await stt.transcribe(), "own 2", "the server is left alone");
    t.equal(server.count("transcription"), 1);
    t.equal(countOfOwn(), 2);
    t.same(faults, ["stt"]);
  });
  let nowMs = 0;
  const health = new ProviderHealth({ onFault: () => undefined, now: () => nowMs });
  t.ok(health.isUsable);
  health.failed(new Error("out of order"));
  nowMs = 29_999;
  t.notOk(health.isUsable);
  nowMs = 30_000;
  t.ok(health.isUsable, "it is tried again");

  await withParts(async ({ server, parts, faults }) => {
    server.use(() => undefined);
    const giveUp = new AbortController();
    const stt = parts.stt({ transcribe: async () => t.fail("own recogniser") as never });
    const transcribing = stt.transcribe(new Int16Array(16_000), { signal: giveUp.signal });
    setImmediate(() => giveUp.abort(new Error("the person goes on")));
    await t.rejects(transcribing, { message: "the person goes on" });
    t.same(faults, []);
  });
});

t.test("the service's voice speaks what the account's does not, at one sample rate and in its place", async (t) => {
  const text = "This is the first sentence. This is the second sentence. This is the third sentence.";
  await withParts(async ({ server, voice, own, faults }) => {
    server.use((request, response) => {
      if (server.count("speech") === 1) return replyWell()(request, response);
      replyWith(503)(request, response);
    });
    const pieces = await spoken(voice, text);
    t.same(own.texts, [text.slice(text.indexOf("This is the second"))]);
    t.ok(pieces.every(({ sampleRateHz }) => sampleRateHz === 24_000));
    const last = pieces.at(-1);
    t.equal(last?.samples.length, 2_400, "a tenth of a second stays one");
    t.match(last?.sentence?.words, [{ fromCharacter: text.indexOf("This is the second"), toCharacter: text.length }]);
    t.same(faults, ["voice"]);
    await spoken(voice, "Next one.");
    t.same(own.texts.at(-1), "Next one.");
    t.equal(server.count("speech"), 2, "the server is left alone for a time");
  });
  await withParts(async ({ server, voice, own }) => {
    server.use((_request, response) => {
      response.writeHead(200, { "content-type": "audio/pcm" });
      // Of what has arrived, the last part is held back until another comes.
      response.write(toneBytes(1), () => setTimeout(() => response.write(toneBytes(1)), 100));
      setTimeout(() => response.destroy(), 300);
    });
    await spoken(voice, text);
    t.same(own.texts, [text.slice(text.indexOf("This is the second"))], "a sentence that broke off is not repeated");
  });
});
