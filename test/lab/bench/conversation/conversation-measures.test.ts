// What the conversation benchmarks make of what they saw.
import t from "tap";
import { serversShareMs } from "../../../../lab/bench/conversation/measure-answers.ts";
import {
  compareLists,
  compareTurns,
  compareWords,
  turnKinds,
  wordsHeard,
} from "../../../../lab/bench/conversation/measure-turns.ts";
import { cough, knocks } from "../../../../lab/bench/conversation/non-words.ts";
import { firstSilence } from "../../../../lab/bench/conversation/silences.ts";
import { parseWorkerTurns } from "../../../../lab/bench/conversation/worker-turns.ts";

/** Levels of 10 ms each from 1,000 ms on: `s` is sound. */
const heard = (pattern: string) =>
  [...pattern].map((sign, index) => ({ atMs: 1_000 + index * 10, level: sign === "s" ? 900 : 3 }));

t.test("a silence is found where it begins, and is open if it lasts to the end", async (t) => {
  t.same(firstSilence(heard("ssss......ss"), 1_000, 50), { fromMs: 1_030, toMs: 1_100 });
  t.same(firstSilence(heard("ss..ss......."), 1_000, 50), { fromMs: 1_050, toMs: Number.POSITIVE_INFINITY });
  t.same(firstSilence(heard("........ss"), 1_020, 50), { fromMs: 1_020, toMs: 1_080 }, "it was silent already");
  t.equal(firstSilence(heard("ss..ss..ss"), 1_000, 50), undefined);
});

t.test("servers share in an answer only what it waited for them", async (t) => {
  const voice = { atMs: 5_000, firstAudioAtMs: 5_100 };
  t.equal(serversShareMs({ decidedMs: 300, firstPieceMs: 620 }, voice), 420);
  t.equal(serversShareMs({ decidedMs: 900, firstPieceMs: 620 }, voice), 100, "the text was there before the decision");
});

t.test("answered turns are read from the worker's log, other lines and half ones are not", async (t) => {
  const turn = {
    msg: "turn answered",
    isTyped: false,
    textMs: 260,
    decidedMs: 290,
    firstPieceMs: 300,
    firstSoundMs: 500,
  };
  const log = ['{"msg":"ready"}', JSON.stringify(turn), '{"msg":"turn answered","isTy'].join("\n");
  const { msg: _, ...times } = turn;
  t.same(parseWorkerTurns(log), [times]);
});

t.test("fifty turns have ten cuts, three faults and one kill", async (t) => {
  const kinds = turnKinds(50);
  const count = (wanted: string) => kinds.filter((kind) => kind === wanted).length;
  t.same([kinds.length, count("cut-in"), count("kill")], [50, 10, 1]);
  t.same([count("refuses"), count("breaks"), count("garbage")], [1, 1, 1]);
  t.ok(count("spoken") >= 8);
});

t.test("a list that repeats, lacks or swaps a message differs", async (t) => {
  const one = { role: "user", message: "One?" } as const;
  const two = { role: "assistant", message: "Two." } as const;
  t.same(compareLists([one, two], [one, two]), []);
  t.equal(compareLists([one, two], [one]).length, 1);
  t.equal(compareLists([one, two], [one, two, two]).length, 1);
  t.equal(compareLists([one, two], [two, one]).length, 2);
});

t.test("a turn that the transcript lacks, changes or does not answer is a difference", async (t) => {
  const typed = (text: string) => ({ kind: "typed" as const, typed: text, answer: "Yes.", heardWords: undefined });
  const user = (message: string) => ({ role: "user" as const, message });
  const answer = { role: "assistant" as const, message: "Yes." };
  t.same(compareTurns([user("a"), answer, user("b"), answer], [typed("a"), typed("b")]), []);
  t.equal(compareTurns([user("a"), answer], [typed("a"), typed("b")]).length, 2, "two are missing");
  t.equal(compareTurns([user("a"), user("b"), answer], [typed("a"), typed("b")]).length, 1, "one is not answered");
  t.equal(compareTurns([user("x"), answer], [typed("a")]).length, 1, "it has other words");
});

t.test("of a cut answer the words that were heard count, and one more or less is right", async (t) => {
  const spoken = [
    { durationMs: 1_000, wordsMs: [100, 500, 900] },
    { durationMs: 1_000, wordsMs: [200, 800] },
  ];
  t.equal(wordsHeard(spoken, 600), 2);
  t.equal(wordsHeard(spoken, 1_300), 4);
  const kept = [
    { role: "user" as const, message: "a" },
    { role: "assistant" as const, message: "one two three" },
  ];
  const words = (heardWords: number | undefined, answer = "one two three four five") =>
    compareWords(kept, [{ kind: "cut-in", typed: "a", answer, heardWords }]);
  t.same(words(3), { wrong_words: 0, cut_words: [0] });
  t.same(words(2), { wrong_words: 0, cut_words: [1] });
  t.same(words(1), { wrong_words: 1, cut_words: [2] });
  t.equal(words(3, "other words").wrong_words, 1, "it is no beginning of what was sent");
  t.equal(words(undefined).wrong_words, 1, "all of it was heard");
});

t.test("coughs and knocks are the same in every run, and differ from each other", async (t) => {
  t.same(cough(3), cough(3));
  t.notSame(cough(3), cough(4));
  t.ok(knocks(1).length > 16_000 * 0.2 && knocks(1).length < 16_000 * 0.8);
  t.ok(Math.max(...cough(5)) > 4_000);
});
