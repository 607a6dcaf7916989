// What the embed page shows of a conversation, without a browser.
import t from "tap";
import { conversationText, lengthInWords } from "../../web/embed/conversation-summary.ts";
import { answerSourceNote, cameraNote, keptNote, parseAnswerSource } from "../../web/embed/conversation-words.ts";
import { de } from "../../web/embed/texts/de.ts";
import { en } from "../../web/embed/texts/en.ts";
import { es } from "../../web/embed/texts/es.ts";
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

t.test("the page says what answers", async (t) => {
  t.equal(answerSourceNote(en, "documents"), "I answer from this product's documents. I am not a language model.");
  t.match(answerSourceNote(en, "knowledge"), /from my documents.*not a language model/);
  t.equal(answerSourceNote(en, "model", "llama3.2"), "Found llama3.2. It answers now.");
  t.same([answerSourceNote(en, "model"), answerSourceNote(en, undefined)], [undefined, undefined]);
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
  t.same([keptNote(en, 0, false), keptNote(en, -1, true)], [undefined, undefined]);
  t.match(keptNote(en, 1, false), /for 1 day\.$/);
  t.match(keptNote(en, 30, false), /for 30 days\.$/);
  t.match(keptNote(en, 30, true), /remembers what you talked about last time\.$/);
  t.match(keptNote(de, 1, true), /wird 1 Tag aufbewahrt\. Der Avatar erinnert sich/);
  const names = ["NotAllowedError", "NotFoundError", "NotReadableError", undefined];
  for (const [texts, device, instead] of [
    [undefined, "microphone", /type instead\.$/],
    [undefined, "camera", /go on without it\.$/],
    [de.devices, "microphone", /tippen\.$|tippen Sie stattdessen\.$/],
    [es.devices, "camera", /sin ella\.$/],
  ] as const) {
    const problems = names.map((name) => deviceProblem(device, name, true, texts));
    problems.push(deviceProblem(device, "TypeError", false, texts));
    t.equal(new Set(problems).size, 5);
    for (const problem of problems) t.match(problem, instead);
  }
});

t.test("while the camera is on, the page says whether the avatar sees it, and that images are not kept", async (t) => {
  t.match(cameraNote(en, "watched"), /one image.*not kept/);
  t.match(cameraNote(en, "unseen"), /does not see you/);
});

t.test("what is left of a conversation is in the page's language", async (t) => {
  t.same(
    [400, 1_000, 60_000, 125_000].map((ms) => lengthInWords(en, ms)),
    ["1 second", "1 second", "1 minute", "2 minutes 5 seconds"],
  );
  t.equal(lengthInWords(de, 61_000), "1 Minute 1 Sekunde");
  t.equal(lengthInWords(es, 122_000), "2 minutos 2 segundos");
  const { lines } = follow(said("avatar", "a-1", "Hola."), said("visitor", "p-1", "Adiós."));
  const at = new Date(2026, 10, 3, 15, 4);
  t.match(
    conversationText(en, lines, "Mona", at),
    /^Conversation with Mona, November 3, 2026.*\n\nMona: Hola\.\nYou: Adiós\.\n$/,
  );
  t.match(
    conversationText(es, lines, "Mona", at),
    /^Conversación con Mona, 3 de noviembre de 2026.*\n\nMona: Hola\.\nUsted: /,
  );
});
