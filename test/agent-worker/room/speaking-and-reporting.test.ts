import t from "tap";
import type { CaptionPiece } from "../../../agent-worker/room/caption-pieces.ts";
import { Captions } from "../../../agent-worker/room/captions.ts";
import { expressionAttribute } from "../../../agent-worker/room/expression-attribute.ts";
import { Speaker } from "../../../agent-worker/room/speaker.ts";
import { createLogger } from "../../../program/log.ts";
import { readExpression } from "../../../room/sender/read-expression.ts";
import { EXPRESSION_NAMES, type Expression, NEUTRAL } from "../../../shared/expressions.ts";
import {
  ATTRIBUTE_TRANSCRIPTION_EXPRESSION,
  ATTRIBUTE_TRANSCRIPTION_FINAL,
  ATTRIBUTE_TRANSCRIPTION_SEGMENT_ID,
  ATTRIBUTE_TRANSCRIPTION_TRACK_ID,
} from "../../../shared/wire-names.ts";
import type { Voice } from "../../../src/speech/voice/voice.ts";
import { notingEngine } from "../../helpers/faces/noting-engine.ts";
import { ramp } from "../../helpers/faces/with-engine.ts";
import { FakeRoom } from "../../helpers/rooms/fake-room.ts";
import { waitFor } from "../../helpers/wait-for.ts";

/** `AgentMood` of `@livekit/components-react`. */
const AGENT_MOODS = [
  "excited",
  "happy",
  "playful",
  "curious",
  "surprised",
  "hopeful",
  "empathetic",
  "sad",
  "angry",
  "anxious",
  "calm",
];

const logger = createLogger({ level: "silent", name: "test" });

t.test("Speaker", async (t) => {
  /** A voice with sentences that end with a full stop; `fail` makes it throw. */
  const voice = {
    async *synthesize(text: string) {
      for (const spoken of text.split(/(?<=\.)/).filter(Boolean)) {
        await null;
        if (spoken === "fail.") throw new Error("no voice");
        const sentence = { text: spoken, phonemes: [], words: [], visemes: [] };
        yield { sampleRateHz: 16_000, samples: ramp(1600), sentence, endsSentence: true };
      }
    },
  } as unknown as Voice;
  const speak = () => {
    const { engine, notes, samples } = notingEngine();
    const captions: string[] = [];
    let changes = 0;
    const speaker = new Speaker({
      onWaiting: () => {
        changes += 1;
      },
      engine,
      voice,
      speech: { voiceId: "F1" },
      captions: {
        add: (id: string, [{ startMs }]: CaptionPiece[], sentence: string) =>
          captions.push(`${id} ${startMs} ${sentence}`),
      } as never,
      logger,
      onAudio: () => undefined,
      clear: () => undefined,
    });
    return { speaker, notes, samples, captions, changes: () => changes };
  };

  t.test("messages are spoken one after the other, each sentence with its position in the segment", async (t) => {
    const { speaker, notes, captions } = speak();
    t.same(await Promise.all([speaker.say("One.Two."), speaker.say("Three.")]), [true, true]);
    await waitFor(() => notes.length === 4, "both segments end");
    t.same(notes, ["open speak-1 16000", "end speak-1", "open speak-2 16000", "end speak-2"]);
    t.same(captions, ["speak-1 0 One.", "speak-1 100 Two.", "speak-2 0 Three."]);
  });

  t.test("the voice is ten seconds ahead of what is heard, however long the message is", async (t) => {
    const { speaker, notes, samples, captions } = speak();
    const spokenS = () => (samples.get("speak-1")?.length ?? 0) / 16_000;
    t.equal(await speaker.say("Hm.".repeat(300)), true, "it begins at once");
    await waitFor(() => spokenS() > 10, "ten seconds are spoken");
    const quiet = async () => {
      const before = spokenS();
      await new Promise(setImmediate);
      return spokenS() === before;
    };
    t.ok((await quiet()) && spokenS() < 10.2, `and no more (${spokenS()} s)`);
    speaker.queued("room-1", 5_000);
    t.ok(await quiet(), "other segments do not count");
    speaker.queued("speak-1", 5_000);
    await waitFor(() => spokenS() > 15, "the voice goes on");
    t.ok((await quiet()) && spokenS() < 15.2, `as far as was heard (${spokenS()} s)`);
    const next = speaker.say("Next.");
    speaker.clear();
    t.equal(await next, false);
    t.same(notes, ["open speak-1 16000", "end speak-1"], "a clear ends the wait");
    t.equal(captions.length, Math.round(spokenS() * 10));
    t.equal(await speaker.say("Again."), true);
  });

  t.test("a voice that fails rejects its message and ends its segment; the next one is spoken", async (t) => {
    const { speaker, notes } = speak();
    await t.rejects(speaker.say("fail."), /no voice/);
    t.same(notes, []);
    await speaker.say("One.fail.");
    await waitFor(() => notes.includes("end speak-2"), "the segment ends");
    t.equal(await speaker.say("Next."), true);
  });

  t.test("a clear drops the message that is being spoken and all waiting ones", async (t) => {
    const { speaker, notes } = speak();
    const first = speaker.say("One.Two.");
    const second = speaker.say("Three.");
    speaker.clear();
    t.same(await Promise.all([first, second]), [false, false]);
    t.same(notes, []);
    t.equal(await speaker.say(""), false, "nothing to say");
  });

  t.test("messages wait until they begin to be heard, are dropped, or turn out to have no words", async (t) => {
    const { speaker, changes } = speak();
    await Promise.all(["One.", "Two.Three.", "", "Four."].map((message) => speaker.say(message)));
    t.same(speaker.waiting, ["One.", "Two.Three.", "Four."], "synthesized, but not heard");
    await t.rejects(speaker.say("fail."));
    t.equal(speaker.waiting.length, 3);
    const before = changes();
    speaker.queued("speak-1", 40);
    speaker.queued("speak-1", 80);
    speaker.queued("room-1", 40);
    t.same(speaker.waiting, ["Two.Three.", "Four."]);
    t.equal(changes(), before + 1, "told once");
    speaker.clear();
    t.same(speaker.waiting, []);
    for (let i = 0; i < 25; i++) await speaker.say(`${i}.`);
    t.equal(speaker.waiting.length, 20, "as many as another speaker takes");
  });

  t.test("the twenty-first waiting message is rejected", async (t) => {
    const { speaker } = speak();
    const said = Array.from({ length: 20 }, () => speaker.say("One."));
    await t.rejects(speaker.say("Too many."), { code: "SERVICE_UNAVAILABLE" });
    await Promise.all(said);
    t.equal(await speaker.say("Again."), true);
  });
});

t.test("Captions", async (t) => {
  const caption = () => {
    const room = new FakeRoom();
    const track = { sid: "TR_1" };
    const face: { shows: Expression } = { shows: NEUTRAL };
    const captions = new Captions({
      room: room.asRoom,
      audioTrackSid: () => track.sid,
      expression: () => face.shows,
      logger,
    });
    const add = (id: string, startMs: number, text: string, expression?: Expression) =>
      captions.add(id, [{ startMs, text }], text, expression);
    return { room, captions, add, track, face };
  };

  t.test("each sentence is shown once, when it begins to be heard", async (t) => {
    const { room, captions, add } = caption();
    add("speak-1", 0, "One.");
    add("speak-1", 30, "Two.");
    t.same(room.texts, [], "not before the segment is heard");
    captions.queued("speak-1", { fromMs: 0, untilMs: 40, inMs: 0 });
    add("speak-1", 60, "Three.");
    captions.queued("speak-1", { fromMs: 40, untilMs: 80, inMs: 40 });
    await waitFor(() => room.texts.length === 3, "all three");
    t.same(
      room.texts.map(({ text, attributes }) => [text, attributes[ATTRIBUTE_TRANSCRIPTION_SEGMENT_ID]]),
      [
        ["One.", "speak-1-1"],
        ["Two.", "speak-1-2"],
        ["Three.", "speak-1-3"],
      ],
    );
  });

  t.test(
    "each tells the expression of its words, or else what the face shows then, as LiveKit's agents do",
    async (t) => {
      const { room, captions, add, face } = caption();
      add("speak-1", 0, "One.", { emotion: "afraid", intensity: 0.5 });
      add("speak-1", 30, "Two.");
      captions.queued("speak-1", { fromMs: 0, untilMs: 20, inMs: 0 });
      await waitFor(() => room.texts.length === 1, "the first");
      face.shows = { emotion: "happy", intensity: 1 };
      captions.queued("speak-1", { fromMs: 20, untilMs: 60, inMs: 0 });
      await waitFor(() => room.texts.length === 2, "the second");
      const told = room.texts.map(({ attributes }) => attributes[ATTRIBUTE_TRANSCRIPTION_EXPRESSION]);
      t.same(
        told.map((json) => JSON.parse(json)),
        [
          { expression: "afraid", mood: "anxious" },
          { expression: "happy", mood: "happy" },
        ],
      );
      for (const emotion of EXPRESSION_NAMES) {
        const attribute = expressionAttribute({ emotion, intensity: 0.4 });
        t.same(readExpression(attribute), { emotion, intensity: 1 }, "a face that follows it shows the same");
        const { mood } = JSON.parse(attribute);
        t.ok(AGENT_MOODS.includes(mood), mood);
      }
    },
  );

  t.test("while audio is late, the captions of what was not played wait, too", async (t) => {
    const { room, captions, add } = caption();
    add("speak-1", 0, "One.");
    add("speak-1", 50, "Two.");
    captions.queued("speak-1", { fromMs: 0, untilMs: 40, inMs: 0 });
    add("speak-2", 0, "Much later.");
    captions.queued("speak-2", { fromMs: 0, untilMs: 40, inMs: 200 });
    await waitFor(() => room.texts.length === 2, "both that were played");
    captions.queued("speak-1", { fromMs: 40, untilMs: 80, inMs: 0 });
    await waitFor(() => room.texts.length === 3, "the late one");
    t.same(
      room.texts.map(({ text }) => text),
      ["One.", "Much later.", "Two."],
    );
  });

  t.test("a sentence that is interrupted before it begins is never shown", async (t) => {
    const { room, captions, add, track } = caption();
    add("speak-1", 0, "One.");
    add("speak-1", 40, "Unheard.");
    captions.queued("speak-1", { fromMs: 0, untilMs: 40, inMs: 0 });
    captions.queued("speak-1", { fromMs: 40, untilMs: 80, inMs: 10_000 });
    await waitFor(() => room.texts.length === 1, "the first");
    captions.finished("speak-1", 20);
    track.sid = "TR_2";
    add("speak-2", 0, "Next.");
    add("speak-2", 60, "Last.");
    captions.queued("speak-2", { fromMs: 0, untilMs: 80, inMs: 0 });
    await waitFor(() => room.texts.length === 3, "the next segment");
    t.same(
      room.texts.map(({ text }) => text),
      ["One.", "Next.", "Last."],
    );
    t.same(
      room.texts.map(({ attributes }) => attributes[ATTRIBUTE_TRANSCRIPTION_TRACK_ID]),
      ["TR_1", "TR_2", "TR_2"],
      "a track that was published again has another sid",
    );
    add("speak-3", 0, "Closed.");
    captions.queued("speak-3", { fromMs: 0, untilMs: 40, inMs: 0 });
    captions.close();
    await new Promise(setImmediate);
    t.equal(room.texts.length, 3);
  });

  t.test("a heard sentence is shown even if start and end of its segment are reported at the same time", async (t) => {
    const { room, captions, add } = caption();
    for (const [startMs, text] of [
      [0, "One."],
      [30, "Two."],
      [60, "Unheard."],
    ] as const) {
      add("speak-1", startMs, text);
    }
    captions.queued("speak-1", { fromMs: 0, untilMs: 80, inMs: 0 });
    captions.finished("speak-1", 50);
    await waitFor(() => room.texts.length === 2, "both sentences");
    t.same(
      room.texts.map(({ text }) => text),
      ["One.", "Two."],
    );
  });

  t.test("words are shown one by one, and the whole at the end; packets tell the same", async (t) => {
    const { room, captions } = caption();
    const words = [
      { startMs: 0, text: "One" },
      { startMs: 20, text: " two" },
      { startMs: 40, text: " three." },
    ];
    captions.add("speak-1", words, "One two three.");
    captions.queued("speak-1", { fromMs: 0, untilMs: 40, inMs: 0 });
    await waitFor(() => room.streams[0]?.text === "One two", "the words that were heard");
    t.same(room.texts, [], "the stream goes on");
    captions.queued("speak-1", { fromMs: 40, untilMs: 80, inMs: 0 });
    await waitFor(() => room.packets.length === 3, "the last word");
    await waitFor(() => room.texts.length === 2, "the end");
    t.match(room.texts, [
      { text: "One two", pieces: ["One", " two"], attributes: { [ATTRIBUTE_TRANSCRIPTION_FINAL]: "false" } },
      { text: "One two three.", attributes: { [ATTRIBUTE_TRANSCRIPTION_FINAL]: "true" } },
    ]);
    t.same(
      room.texts.map(({ attributes }) => attributes[ATTRIBUTE_TRANSCRIPTION_SEGMENT_ID]),
      ["speak-1-1", "speak-1-1"],
    );
    t.match(
      room.packets.map(({ segments: [{ text, final }] }) => [text, final]),
      [
        ["One", false],
        ["One two", false],
        ["One two three.", true],
      ],
    );
    t.match(room.packets[2], {
      participantIdentity: "avatar",
      trackSid: "TR_1",
      segments: [{ id: "speak-1-1", startTime: 0n, endTime: 0n, language: "" }],
    });
    captions.add("speak-2", words, "One two three.");
    captions.queued("speak-2", { fromMs: 0, untilMs: 30, inMs: 0 });
    await waitFor(() => room.packets.length === 5, "two words");
    captions.finished("speak-2", 30);
    await waitFor(() => room.texts.length === 4, "a clear ends it");
    t.match(room.texts[3], { text: "One two", attributes: { [ATTRIBUTE_TRANSCRIPTION_FINAL]: "true" } });
    t.match(room.packets.at(-1), { segments: [{ text: "One two", final: true }] });
  });
});
