// Sessions that only write down what is said, in the events that OpenAI's and LiveKit's clients send.
import t from "tap";
import { EngineError } from "../../../../shared/engine-error.ts";
import { withRealtimeSession } from "../../../helpers/conversation/with-realtime-session.ts";

const TRANSCRIPTION = "conversation.item.input_audio_transcription";
/** As LiveKit's plugin sends it. */
const UPDATE = {
  type: "transcription",
  audio: {
    input: {
      format: { type: "audio/pcm", rate: 24_000 },
      transcription: { model: "gpt-4o-mini-transcribe", prompt: "Ships.", language: "en" },
      turn_detection: { type: "server_vad", threshold: 0.5, prefix_padding_ms: 600, silence_duration_ms: 350 },
      noise_reduction: { type: "near_field" },
    },
  },
};

t.test("what is said is written down, and never answered", async (t) => {
  await withRealtimeSession({ isTranscription: true, expectedLanguage: undefined }, async (test) => {
    t.match(test.events, [
      { type: "session.created", session: { type: "transcription", object: "realtime.transcription_session" } },
    ]);
    test.send("session.update", { session: UPDATE });
    t.match(test.events.at(-1), {
      type: "session.updated",
      session: {
        type: "transcription",
        audio: {
          input: {
            format: { type: "audio/pcm" },
            transcription: { model: "gpt-4o-mini-transcribe", language: "en" },
            turn_detection: { type: "server_vad", silence_duration_ms: 350 },
          },
        },
      },
    });
    test.say();
    const { transcript, item_id, usage } = await test.until(`${TRANSCRIPTION}.completed`);
    t.equal(transcript, "Hello there.");
    t.match(usage, { type: "duration", seconds: Number });
    t.same(test.types.slice(2), [
      "input_audio_buffer.speech_started",
      "input_audio_buffer.speech_stopped",
      "input_audio_buffer.committed",
      "conversation.item.added",
      "conversation.item.done",
      `${TRANSCRIPTION}.delta`,
      `${TRANSCRIPTION}.completed`,
    ]);
    t.match(test.of("input_audio_buffer.committed"), [{ item_id }]);
    const from = test.events.length;
    test.say();
    await test.until(`${TRANSCRIPTION}.completed`, from);
    t.same(test.server.requests, [], "the language model is never asked");
  });
});

t.test("nothing turns it into a session that answers", async (t) => {
  await withRealtimeSession({ isTranscription: true, expectedLanguage: undefined }, async (test) => {
    const item = { type: "message", role: "user", content: [{ type: "input_text", text: "Hello." }] };
    test.send("session.update", { event_id: "e1", session: { type: "realtime", instructions: "Speak." } });
    t.match(test.events.at(-1), { error: { code: "invalid_value", param: "session.type", event_id: "e1" } });
    for (const [type, fields] of Object.entries({
      "response.create": {},
      "response.cancel": {},
      "conversation.item.create": { item },
    })) {
      test.send(type, fields);
      t.match(test.events.at(-1), { error: { code: "invalid_value", param: "type" } }, type);
    }
    test.send("session.update", {
      session: { turn_detection: { type: "server_vad", silence_duration_ms: 300, create_response: true } },
    });
    test.say();
    await test.until(`${TRANSCRIPTION}.completed`);
    test.send("session.update", { session: { type: "transcription", audio: { input: { transcription: null } } } });
    const from = test.events.length;
    test.say();
    await test.until(`${TRANSCRIPTION}.completed`, from);
    t.notOk(test.types.some((type) => type.startsWith("response")));
    t.same(test.server.requests, []);
  });
});

t.test("committed audio is written down in order, in any language until one is named", async (t) => {
  const languages: (string | undefined)[] = [];
  const stt = {
    transcribe: async (_: Int16Array, { language }: { language?: string }) => {
      languages.push(language);
      return { text: `Part ${languages.length}.`, language: "de" };
    },
  };
  await withRealtimeSession({ isTranscription: true, expectedLanguage: undefined, stt }, async (test) => {
    const transcriptions: object[] = [{}, { language: "" }, { languages: ["de", "fr"] }, { languages: ["fr"] }];
    for (const transcription of [...transcriptions, { model: "whisper-1", language: "es" }]) {
      const session = { type: "transcription", audio: { input: { transcription, turn_detection: null } } };
      test.send("session.update", { session });
      test.append(300, 100);
      test.send("input_audio_buffer.commit");
      const count = test.of(`${TRANSCRIPTION}.completed`).length + 1;
      const { transcript } = await test.until(`${TRANSCRIPTION}.completed`, test.events.length);
      t.equal(transcript, `Part ${count}.`);
    }
    t.same(languages, [undefined, undefined, undefined, "fr", "es"]);
  });
});

t.test("a commit that finds the recogniser busy is written down a moment later", async (t) => {
  const texts = [new EngineError("unavailable", "Too many utterances wait."), "Late."];
  await withRealtimeSession({ isTranscription: true, expectedLanguage: undefined, texts }, async (test) => {
    test.send("session.update", { session: { turn_detection: null } });
    test.append(300, 100);
    test.send("input_audio_buffer.commit");
    t.equal((await test.until(`${TRANSCRIPTION}.completed`)).transcript, "Late.");
  });
});

t.test("models without turn detection leave the end of a turn to the client's commit", async (t) => {
  await withRealtimeSession({ isTranscription: true, expectedLanguage: undefined }, async (test) => {
    const transcription = { model: "gpt-realtime-whisper", language: "en" };
    test.send("session.update", { session: { type: "transcription", audio: { input: { transcription } } } });
    t.equal(test.events.at(-1)?.session.audio.input.turn_detection, null);
    test.say();
    test.send("input_audio_buffer.commit");
    await test.until(`${TRANSCRIPTION}.completed`);
    t.same(test.of("error"), []);
  });
});

t.test("clients of the beta have events of their own", async (t) => {
  await withRealtimeSession({ isTranscription: true, expectedLanguage: undefined, dialect: "beta" }, async (test) => {
    t.match(test.events, [{ type: "transcription_session.created", session: { input_audio_format: "pcm16" } }]);
    test.send("transcription_session.update", {
      session: {
        input_audio_format: "pcm16",
        input_audio_transcription: { model: "gpt-4o-mini-transcribe", prompt: "", language: "" },
        turn_detection: { type: "server_vad", threshold: 0.5, prefix_padding_ms: 600, silence_duration_ms: 350 },
      },
    });
    t.match(test.events.at(-1), {
      type: "transcription_session.updated",
      session: { input_audio_transcription: { model: "gpt-4o-mini-transcribe", language: null } },
    });
    test.say();
    t.equal((await test.until(`${TRANSCRIPTION}.completed`)).transcript, "Hello there.");
    t.same(test.of("error"), []);
  });
});

t.test("a call that was opened for answers may become one of transcription, in the middle of an answer", async (t) => {
  await withRealtimeSession({ reply: () => ({ ending: "hang" }) }, async (test) => {
    test.send("response.create");
    test.send("session.update", { session: UPDATE });
    t.match(test.of("response.done"), [{ response: { status: "cancelled" } }]);
    test.say();
    await test.until(`${TRANSCRIPTION}.completed`);
    t.equal(test.of("response.created").length, 1);
    test.send("session.update", { session: { type: "realtime" } });
    t.match(test.events.at(-1), { error: { param: "session.type" } });
  });
});
