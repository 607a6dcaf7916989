// What the avatar says and what it reports, on a room in memory.
import { ConnectionState, RpcError } from "@livekit/rtc-node";
import t from "tap";
import type { CaptionPiece } from "../../../agent-worker/room/caption-pieces.ts";
import { Captions } from "../../../agent-worker/room/captions.ts";
import { PlaybackReporter } from "../../../agent-worker/room/playback-reporter.ts";
import { Speaker } from "../../../agent-worker/room/speaker.ts";
import { createLogger } from "../../../program/log.ts";
import {
  ATTRIBUTE_TRANSCRIPTION_FINAL,
  ATTRIBUTE_TRANSCRIPTION_SEGMENT_ID,
  ATTRIBUTE_TRANSCRIPTION_TRACK_ID,
  RPC_PLAYBACK_FINISHED,
  RPC_PLAYBACK_STARTED,
} from "../../../shared/wire-names.ts";
import type { Voice } from "../../../src/speech/voice/voice.ts";
import { notingEngine } from "../../helpers/faces/noting-engine.ts";
import { ramp } from "../../helpers/faces/with-engine.ts";
import { FakeRoom } from "../../helpers/rooms/fake-room.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });

t.test("PlaybackReporter", async (t) => {
  const report = (options: { returnLimitMs?: number } = {}) => {
    const room = new FakeRoom();
    const reporter = new PlaybackReporter({ room: room.asRoom, logger, ...options });
    reporter.start();
    const shown = () => room.calls.map(({ to, method, payload }) => `${to} ${method} ${payload}`.trim());
    return { room, reporter, shown };
  };

  t.test("each segment is reported as started once and as finished once, in order, in seconds", async (t) => {
    const { reporter, shown } = report();
    for (const id of ["a", "b"]) reporter.open(id, "voice");
    reporter.started("a");
    reporter.started("a");
    reporter.finished("a", { positionMs: 1500, interrupted: false });
    reporter.finished("a", { positionMs: 9, interrupted: true });
    reporter.started("a");
    reporter.finished("b", { positionMs: 0, interrupted: true });
    reporter.finished("never opened", { positionMs: 1, interrupted: false });
    await waitFor(() => shown().length === 3, "three reports");
    t.same(shown(), [
      `voice ${RPC_PLAYBACK_STARTED}`,
      `voice ${RPC_PLAYBACK_FINISHED} {"playback_position":1.5,"interrupted":false}`,
      `voice ${RPC_PLAYBACK_FINISHED} {"playback_position":0,"interrupted":true}`,
    ]);
  });

  t.test("a lost call is retried, with at most three calls in all; a refused one is not retried", async (t) => {
    const { room, reporter, shown } = report();
    room.answer = ({ to }) => {
      throw new RpcError(
        to === "deaf" ? RpcError.ErrorCode.UNSUPPORTED_METHOD : RpcError.ErrorCode.CONNECTION_TIMEOUT,
        "",
      );
    };
    reporter.open("a", "lost");
    reporter.open("b", "deaf");
    reporter.open("c", "last");
    reporter.finished("a", { positionMs: 1, interrupted: false });
    reporter.finished("b", { positionMs: 2, interrupted: false });
    reporter.finished("c", { positionMs: 3, interrupted: false });
    await waitFor(() => shown().filter((call) => call.startsWith("last")).length === 3, "all are tried");
    const count = (to: string) => room.calls.filter((call) => call.to === to).length;
    await waitFor(() => count("lost") === 3, "three attempts");
    t.same([count("lost"), count("deaf"), count("last")], [3, 1, 3]);
  });

  t.test("a missing answer delays the next report only for a limited time", async () => {
    const { room, reporter, shown } = report();
    room.answer = () => new Promise(() => undefined);
    reporter.open("a", "voice");
    reporter.started("a");
    reporter.finished("a", { positionMs: 1, interrupted: false });
    await waitFor(() => shown().length === 2, "both are sent");
  });

  t.test(
    "a flood of segments is bounded: the first thousand are reported, which is what a session can hand on",
    async (t) => {
      const { room, reporter, shown } = report();
      let release: () => void = () => undefined;
      const answered = new Promise<void>((resolve) => {
        release = resolve;
      });
      room.answer = () => answered.then(() => "");
      for (let i = 0; i < 3_000; i++) {
        reporter.open(`s${i}`, "voice");
        reporter.finished(`s${i}`, { positionMs: i, interrupted: true });
      }
      t.equal(reporter.openSegments.length, 1_000);
      release();
      await waitFor(() => shown().length === 1_000, "a thousand are told");
      t.match(shown()[999], /"playback_position":0.999,/);
      await waitFor(() => reporter.openSegments.length === 0, "none waits");
      reporter.open("later", "voice");
      reporter.finished("later", { positionMs: 7, interrupted: false });
      await waitFor(() => shown().length === 1_001, "later ones are told again");
    },
  );

  t.test(
    "a sender that left gets no reports, also after it joins again under the same identity, and its state is dropped",
    async (t) => {
      const { room, reporter, shown } = report();
      room.answer = () => {
        room.leave("voice");
        throw new RpcError(RpcError.ErrorCode.CONNECTION_TIMEOUT, "");
      };
      reporter.open("a", "voice");
      reporter.open("b", "voice");
      reporter.started("a");
      reporter.finished("b", { positionMs: 1, interrupted: false });
      await waitFor(() => shown().length === 1, "the first call");
      room.answer = () => "";
      reporter.open("c", "voice");
      reporter.finished("a", { positionMs: 1, interrupted: false });
      reporter.finished("c", { positionMs: 2, interrupted: false });
      await waitFor(() => shown().length === 2, "only what is said to the new one");
      t.match(shown()[1], /"playback_position":0.002/);
      await reporter.close();
      t.equal(room.listenerCount("participantDisconnected"), 0);
    },
  );

  t.test(
    "while the connection is restored, reports wait for their senders, and are then sent once, in order",
    async (t) => {
      const { room, reporter, shown } = report();
      const reports = (ids: string[]) => ids.map((id) => `${RPC_PLAYBACK_FINISHED} {"playback_position":${id}`);
      const matches = (expected: string[]) =>
        t.same(
          shown().map((call) => call.split(" ").slice(1).join(" ").split(",")[0]),
          expected,
        );
      for (let i = 1; i <= 4; i++) reporter.open(`s${i}`, "voice");
      reporter.open("other", "gone");
      // The first call is never answered: the connection breaks.
      room.answer = () => new Promise(() => undefined);
      reporter.finished("s1", { positionMs: 1_000, interrupted: false });
      await waitFor(() => shown().length === 1, "the first call");
      room.calls.length = 0;
      room.setConnection(ConnectionState.CONN_RECONNECTING);
      room.answer = async () => {
        await new Promise(setImmediate);
        return "";
      };
      room.leave("voice");
      room.leave("gone");
      for (let i = 2; i <= 3; i++) reporter.finished(`s${i}`, { positionMs: i * 1_000, interrupted: true });
      reporter.finished("other", { positionMs: 9_000, interrupted: true });
      room.setConnection(ConnectionState.CONN_CONNECTED);
      await new Promise(setImmediate);
      t.same(shown(), [], "the senders are not back");
      t.same(
        reporter.openSegments.map(({ position_ms }) => position_ms),
        [1_000, 2_000, 3_000, 0, 9_000],
        "another process could take over",
      );
      room.join("voice");
      await waitFor(() => shown().length === 3, "the reports");
      matches(reports(["1", "2", "3"]));
      reporter.finished("s4", { positionMs: 4_000, interrupted: false });
      await waitFor(() => reporter.openSegments.length === 1, "the others are told at once");
      matches(reports(["1", "2", "3", "4"]));

      // A stream of a sender that was not announced yet shows that it is back.
      room.setConnection(ConnectionState.CONN_RECONNECTING);
      room.leave("voice");
      room.setConnection(ConnectionState.CONN_CONNECTED);
      reporter.open("s5", "voice");
      reporter.finished("s5", { positionMs: 5_000, interrupted: false });
      await waitFor(() => shown().length === 5, "its report");
      await reporter.close();
      t.match(
        reporter.openSegments,
        [{ sender_identity: "gone", position_ms: 9_000 }],
        "what was not told is handed on",
      );
    },
  );

  t.test("a sender that does not return in time has left, and a lost connection leaves its reports open", async (t) => {
    const { room, reporter, shown } = report({ returnLimitMs: 30 });
    reporter.open("a", "voice");
    room.setConnection(ConnectionState.CONN_RECONNECTING);
    room.leave("voice");
    reporter.finished("a", { positionMs: 1_000, interrupted: true });
    room.setConnection(ConnectionState.CONN_CONNECTED);
    await waitFor(() => reporter.openSegments.length === 0, "its segment is dropped");
    reporter.open("b", "voice");
    room.isConnected = false;
    reporter.finished("b", { positionMs: 2_000, interrupted: true });
    await reporter.close();
    t.same(shown(), []);
    t.match(reporter.openSegments, [{ sender_identity: "voice", position_ms: 2_000, interrupted: true }]);
  });
});

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
    const captions = new Captions({ room: room.asRoom, audioTrackSid: () => track.sid, logger });
    const add = (id: string, startMs: number, text: string) => captions.add(id, [{ startMs, text }], text);
    return { room, captions, add, track };
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
