// An utterance that is paused, resumed and cut: no word is lost, and what was heard is known.
import t from "tap";
import type { CaptionPiece } from "../../../agent-worker/room/caption-pieces.ts";
import { RoomUtterance } from "../../../agent-worker/room/room-utterance.ts";
import type { Expression } from "../../../shared/expressions.ts";
import type { TimedViseme } from "../../../src/speech/visemes/timed-viseme.ts";
import type { Voice } from "../../../src/speech/voice/voice.ts";
import { notingEngine } from "../../helpers/faces/noting-engine.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const RATE_HZ = 16_000;
const WORD_MS = 300;

/** Speaks each word in 300 ms, in two pieces for each text; sample n of the utterance has the value n modulo 30,000. */
function wordVoice(): Voice {
  let next = 0;
  return {
    async *synthesize(text: string) {
      const found = [...text.matchAll(/\S+/g)];
      const words = found.map(({ 0: word, index }, at) => ({
        text: word,
        startMs: at * WORD_MS,
        endMs: (at + 1) * WORD_MS,
        fromCharacter: index,
        toCharacter: index + word.length,
      }));
      const visemes = words.map(({ startMs, endMs }) => ({ viseme: "aa", startMs, endMs })) as unknown as TimedViseme[];
      const total = (words.length * WORD_MS * RATE_HZ) / 1000;
      const samples = Int16Array.from({ length: total }, () => next++ % 30_000);
      const half = Math.round(total / 2);
      await null;
      const sentence = { text, phonemes: [], words, visemes };
      yield { sampleRateHz: RATE_HZ, samples: samples.subarray(0, half), sentence, endsSentence: false };
      yield { sampleRateHz: RATE_HZ, samples: samples.subarray(half), endsSentence: true };
    },
    close: async () => undefined,
  };
}

function utter() {
  const { engine, notes, samples } = notingEngine();
  const captions: string[] = [];
  /** Expressions of the captions. */
  const told: (string | undefined)[] = [];
  let clears = 0;
  const utterance = new RoomUtterance({
    id: "speak-1",
    engine,
    voice: wordVoice(),
    speech: {},
    captions: {
      add: (id: string, pieces: CaptionPiece[], sentence?: string, expression?: Expression) => {
        told.push(expression?.emotion);
        const text = pieces.map((piece) => piece.text).join("");
        captions.push(
          `${id} ${pieces.map(({ startMs }) => startMs).join(",")}${text === sentence ? "" : " rest"} ${text}`,
        );
      },
    } as never,
    onAudio: () => undefined,
    clear: () => {
      clears += 1;
    },
  });
  return { utterance, notes, samples, captions, told, clears: () => clears };
}

t.test("after a pause it goes on from the start of the word that was cut, without losing one", async (t) => {
  const { utterance, notes, samples, captions } = utter();
  utterance.add("One two three four. ");
  utterance.add("Five six. ");
  utterance.end();
  await utterance.spoken;
  utterance.pause();
  // In the middle of "three".
  utterance.segmentFinished("speak-1", { positionMs: 750, interrupted: true });
  t.equal(utterance.heardText, "One two three");
  utterance.resume();
  const rest = samples.get("speak-1.2") ?? [];
  t.equal(rest[0], (570 * RATE_HZ) / 1000, "a little before its start");
  t.equal(rest.length, ((6 * WORD_MS - 570) * RATE_HZ) / 1000, "to the end");
  t.same(notes.slice(-2), ["open speak-1.2 16000", "end speak-1.2"]);
  t.same(
    captions,
    [
      "speak-1 0,300,600,900 One two three four. ",
      "speak-1 1200,1500 Five six. ",
      "speak-1.2 330 rest  four. ",
      "speak-1.2 630,930 Five six. ",
    ],
    "words that were shown before the pause are not shown again",
  );
  utterance.segmentFinished("speak-1.2", { positionMs: 1_230, interrupted: false });
  t.same(await utterance.ended, { heardText: "One two three four. Five six.", interrupted: false });
});

t.test("a resumption that comes before the cut is reported waits for it", async (t) => {
  const { utterance, samples } = utter();
  utterance.add("One two.");
  utterance.end();
  await utterance.spoken;
  utterance.pause();
  utterance.resume();
  t.notOk(samples.has("speak-1.2"));
  utterance.segmentFinished("speak-1", { positionMs: 0, interrupted: true });
  t.equal(samples.get("speak-1.2")?.length, (2 * WORD_MS * RATE_HZ) / 1000, "nothing was heard: all of it is repeated");
});

t.test("text that comes during a pause is spoken after it", async (t) => {
  const { utterance, samples, notes } = utter();
  utterance.pause();
  utterance.add("One two.");
  utterance.end();
  await utterance.spoken;
  t.same(notes, []);
  utterance.resume();
  t.equal(samples.get("speak-1")?.length, (2 * WORD_MS * RATE_HZ) / 1000);
});

t.test("a stop tells the words that were heard", async (t) => {
  const { utterance, clears } = utter();
  utterance.add("One two three four.");
  await waitFor(() => clears() === 0, "it speaks");
  await utterance.made;
  utterance.segmentStarted();
  t.equal(await utterance.started, true);
  utterance.stop();
  utterance.stop();
  t.equal(clears(), 1);
  utterance.segmentFinished("speak-1", { positionMs: 440, interrupted: true });
  t.same(await utterance.ended, { heardText: "One", interrupted: true }, "less than half of the second word");
});

t.test("a stopped utterance is neither paused nor resumed, and is over once", async (t) => {
  const { utterance, notes, clears } = utter();
  utterance.add("One two three four.");
  await utterance.made;
  utterance.stop();
  utterance.pause();
  utterance.resume();
  t.equal(clears(), 1);
  utterance.segmentFinished("speak-1", { positionMs: 440, interrupted: true });
  utterance.drop();
  utterance.pause();
  utterance.resume();
  utterance.segmentFinished("speak-1", { positionMs: 900, interrupted: false });
  t.same(notes, ["open speak-1 16000"]);
  t.same(await utterance.ended, { heardText: "One", interrupted: true });
});

t.test("a stop before anything was heard", async (t) => {
  const { utterance } = utter();
  utterance.add("One.");
  utterance.stop();
  t.equal(await utterance.started, false);
  t.same(await utterance.ended, { heardText: "", interrupted: true });
});

t.test("an engine that another has cleared ends it", async (t) => {
  const { utterance } = utter();
  utterance.add("One two three.");
  await utterance.made;
  utterance.segmentFinished("speak-1", { positionMs: 600, interrupted: true });
  t.same(await utterance.ended, { heardText: "One two", interrupted: true });
});

t.test("tags of expressions are not said, shown or remembered, and the face shows each with its word", async (t) => {
  const { utterance, notes, samples, captions, told } = utter();
  utterance.add("[happy:0.5] One two [sad] three ");
  // Cut in two, as a language model may write it, and at the end of a text.
  utterance.add("four. [ang");
  utterance.add("ry] ");
  utterance.add("Five six.");
  utterance.end();
  await utterance.spoken;
  // Times from what was pushed before: the second half of the first text begins after 450 ms.
  t.same(notes, ["open speak-1 16000", "happy speak-1 0", "sad speak-1 150", "angry speak-1 0", "end speak-1"]);
  t.equal(samples.get("speak-1")?.length, (6 * WORD_MS * RATE_HZ) / 1000, "six words");
  t.same(
    captions.map((caption) => caption.replace(/^\S+ \S+ /, "")),
    ["One two three ", "four. ", "Five six."],
  );
  t.same(told, ["happy", "sad", "angry"], "a caption tells what holds at its first word");
  utterance.pause();
  utterance.segmentFinished("speak-1", { positionMs: 1_000, interrupted: true });
  utterance.resume();
  t.same(told.slice(3), ["angry"], "of what was not shown");
  t.same(
    notes.slice(-4).map((note) => note.replace(/ \d+$/, "")),
    ["open speak-1.2", "sad speak-1.2", "angry speak-1.2", "end speak-1.2"],
    "after a pause it is shown again",
  );
  utterance.segmentFinished("speak-1.2", { positionMs: 800, interrupted: false });
  t.equal((await utterance.ended).heardText, "One two three four. Five six.");
});
