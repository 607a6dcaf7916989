// What the embed page shows of a conversation, without a browser.
import t from "tap";
import {
  answerSourceNote,
  cameraNote,
  keptNote,
  parseAnswerSource,
  typingWords,
} from "../../web/embed/conversation-words.ts";
import { EMPTY_TRANSCRIPT, type SpokenWords, withoutInterim, withWords } from "../../web/embed/transcript.ts";
import { deviceProblem } from "../../web/shared/device-problem.ts";
import { isOnThisMachine } from "../../web/shared/is-on-this-machine.ts";

const said = (speaker: "visitor" | "avatar", segmentId: string, text: string, isFinal = true): SpokenWords => ({
  speaker,
  segmentId,
  text,
  isFinal,
});
const follow = (...words: SpokenWords[]) => words.reduce(withWords, EMPTY_TRANSCRIPT);

t.test("both sides' words become lines, and interim texts of the visitor replace each other", async (t) => {
  const talking = follow(
    said("avatar", "a-1", "Hello, I'm Mona."),
    said("avatar", "a-2", " What can I do for you? "),
    said("visitor", "p-1", "Do I", false),
    said("visitor", "p-1", "Do I need a coat", false),
  );
  t.same(talking.lines, [{ number: 1, speaker: "avatar", text: "Hello, I'm Mona. What can I do for you?" }]);
  t.equal(talking.interim, "Do I need a coat");
  const answered = [said("visitor", "p-1", "Do I need a coat?"), said("avatar", "a-3", "No.")].reduce(
    withWords,
    talking,
  );
  t.same(
    answered.lines.map(({ number, speaker, text }) => [number, speaker, text]),
    [
      [1, "avatar", "Hello, I'm Mona. What can I do for you?"],
      [2, "visitor", "Do I need a coat?"],
      [3, "avatar", "No."],
    ],
  );
  t.equal(answered.interim, "");
  t.equal(withWords(answered, said("visitor", "p-1", "Do I need a coat?", false)), answered, "a late interim text");
  t.equal(withWords(answered, said("avatar", "a-3", "No.")), answered, "a segment that comes twice");
  const captioned = withWords(answered, said("avatar", "a-4", "Yes", false));
  t.equal(captioned.lines, answered.lines, "captions have a place of their own");
});

t.test("a sentence that the visitor interrupts stays in its own line", async (t) => {
  const lines = (...words: SpokenWords[]) => follow(...words).lines.map(({ number, text }) => [number, text]);
  const greeted = [said("avatar", "a-1", "Hello."), said("avatar", "a-2", "What can", false)];
  const asked = [said("visitor", "p-1", "What does it cost?"), said("avatar", "a-2", "What can")];
  const answered = [said("avatar", "a-3", "Nothing.", false), said("avatar", "a-3", "Nothing.")];
  t.same(lines(...greeted, ...asked, ...answered), [
    [1, "Hello. What can"],
    [2, "What does it cost?"],
    [3, "Nothing."],
  ]);
  t.same(
    lines(
      said("visitor", "p-1", "Go on."),
      said("avatar", "a-1", "Well", false),
      said("visitor", "p-2", "Wait."),
      said("avatar", "a-1", "Well, I"),
      ...answered,
    ),
    [
      [1, "Go on."],
      [2, "Well, I"],
      [3, "Wait."],
      [4, "Nothing."],
    ],
    "also as the first of its line",
  );
});

t.test("an interim text that was no word leaves; the avatar's words do not end it", async (t) => {
  const talking = follow(said("visitor", "p-1", "Hm", false), said("avatar", "a-1", "And then"));
  t.equal(talking.interim, "Hm");
  t.equal(withoutInterim(talking).interim, "");
  t.equal(withoutInterim(EMPTY_TRANSCRIPT), EMPTY_TRANSCRIPT);
  t.same(follow(said("visitor", "p-1", "Hm", false), said("visitor", "p-1", "  ")), {
    ...EMPTY_TRANSCRIPT,
    seen: ["p-1"],
  });
});

t.test("a long conversation keeps its last hundred lines, each with the same number", async (t) => {
  const words = Array.from({ length: 150 }, (_, index) => said("visitor", `p-${index}`, `line ${index + 1}`));
  const { lines, seen } = follow(...words);
  t.equal(lines.length, 100);
  t.match(
    [lines[0], lines.at(-1)],
    [
      { number: 51, text: "line 51" },
      { number: 150, text: "line 150" },
    ],
  );
  t.ok(seen.length <= 100);
});

t.test("the page says what answers, and what becomes of a line that is typed", async (t) => {
  t.equal(answerSourceNote("documents"), "I answer from this product's documents. I am not a language model.");
  t.match(answerSourceNote("knowledge"), /from my documents.*not a language model/);
  t.equal(answerSourceNote("model", "llama3.2"), "Found llama3.2. It answers now.");
  t.same([answerSourceNote("model"), answerSourceNote(undefined)], [undefined, undefined]);
  t.same([typingWords("ask").button, typingWords("say").button], ["Send", "Say it"]);
  t.not(typingWords("ask").label, typingWords("say").label);
  t.same(["model", "knowledge", "documents", "none", "other", undefined].map(parseAnswerSource), [
    "model",
    "knowledge",
    "documents",
    undefined,
    undefined,
    undefined,
  ]);
  t.same(["localhost", "127.0.0.1", "[::1]", "avatars.example", "localhost.example", "10.0.0.1"].map(isOnThisMachine), [
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

t.test("the page says that a transcript is kept, if it is, and why microphone and camera stay off", async (t) => {
  t.same([keptNote(0, false), keptNote(-1, true)], [undefined, undefined]);
  t.match(keptNote(1, false), /for 1 day\.$/);
  t.match(keptNote(30, false), /for 30 days\.$/);
  t.match(keptNote(30, true), /remembers what you talked about last time\.$/);
  const names = ["NotAllowedError", "NotFoundError", "NotReadableError", undefined];
  for (const [device, instead] of [
    ["microphone", /type instead\.$/],
    ["camera", /go on without it\.$/],
  ] as const) {
    const problems = names.map((name) => deviceProblem(device, name, true));
    problems.push(deviceProblem(device, "TypeError", false));
    t.equal(new Set(problems).size, 5);
    for (const problem of problems) t.match(problem, instead);
  }
});

t.test("while the camera is on, the page says whether the avatar sees it, and that images are not kept", async (t) => {
  t.match(cameraNote("watched"), /one image.*not kept/);
  t.match(cameraNote("unseen"), /does not see you/);
});
