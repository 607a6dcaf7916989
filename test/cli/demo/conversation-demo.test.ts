// The recorded conversation: the model of its script, the mixed audio, and the transcript.
import t from "tap";
import type { HeardAudio } from "../../../cli/demo/avatar-listener.ts";
import { conversationTranscript } from "../../../cli/demo/conversation-transcript.ts";
import { DOCUMENT, scriptedAnswer, TURNS } from "../../../cli/demo/demo-script.ts";
import { MixedAudio } from "../../../cli/demo/mixed-audio.ts";
import { type RecordedTurn, withMessages } from "../../../cli/demo/record-conversation.ts";
import { passagesMessage } from "../../../src/conversation/turns/passages.ts";

const UNKNOWN = scriptedAnswer("What is the population of Iceland?", "");
const BEGAN = Date.parse("2026-11-23T10:00:00Z");

const turn = (atS: number, rest: Partial<RecordedTurn> = {}): RecordedTurn => ({
  shows: "a question",
  how: "spoken",
  atS,
  said: "One?",
  understood: "",
  answer: "",
  answeredMs: 700,
  silentMs: undefined,
  ...rest,
});
const message = (atS: number, role: string, text: string) => ({
  role,
  message: text,
  timestamp: new Date(BEGAN + atS * 1000).toISOString(),
});

t.test("the model of the script answers from the document only what it was given", async (t) => {
  const given = passagesMessage([{ file_name: DOCUMENT.name, heading: "", text: DOCUMENT.text }]) ?? "";
  t.match(scriptedAnswer("How long is the guarantee?", given), /seven years/);
  t.match(scriptedAnswer("Do you ship to Canada?", given), /Tuesday/);
  t.equal(scriptedAnswer("How long is the guarantee?", ""), UNKNOWN, "without a passage it does not know");
  t.match(UNKNOWN, /no language model/);
});

t.test("every other turn of the script has an answer, but for the one that shows that there is none", async (t) => {
  const given = passagesMessage([{ file_name: DOCUMENT.name, heading: "", text: DOCUMENT.text }]) ?? "";
  const unknown = TURNS.filter(({ text }) => scriptedAnswer(text, given) === UNKNOWN);
  t.same(
    unknown.map(({ shows }) => shows),
    ["a question without an answer"],
  );
});

t.test("a message belongs to the turn that had begun when it was said", async (t) => {
  const turns = [turn(1, { how: "greeting", said: "" }), turn(5), turn(9)];
  const messages = [
    message(1.2, "assistant", "Hello."),
    message(6, "user", "One"),
    message(7, "assistant", "Yes,"),
    message(10, "user", "Wait"),
    message(11, "user", "two?"),
    message(12, "assistant", "No."),
  ];
  const filled = withMessages(turns, messages, BEGAN);
  t.same(
    filled.map(({ understood, answer }) => [understood, answer]),
    [
      ["", "Hello."],
      ["One", "Yes,"],
      ["Wait / two?", "No."],
    ],
  );
});

t.test("the transcript tells each turn's place in the film, texts and latencies", async (t) => {
  const turns = [
    turn(2.5, { how: "greeting", shows: "the greeting", said: "", answer: "Hello.", answeredMs: undefined }),
    turn(71.2, { how: "cut-in", understood: "Won?", answer: "Yes.", silentMs: 410 }),
  ];
  const text = conversationTranscript({ film: "a.mp4", llm: "A script has answered.", turns });
  for (const part of ["0:02.5 the greeting", "1:11.2 a question", "A script has answered.", "Understood: Won?"])
    t.match(text, part);
  t.match(text, "Silent 410 ms after the person's first sound");
  t.match(text, "First sound 700 ms after the end of speech");
});

t.test("the film has both voices, at the rate of the film", async (t) => {
  const mixed: HeardAudio[] = [];
  const audio = new MixedAudio((block) => mixed.push({ ...block, samples: block.samples.slice() }));
  for (let block = 0; block < 20; block++) {
    if (block >= 10) audio.addSpoken(new Int16Array(160).fill(2_000));
    audio.addHeard({ samples: new Int16Array(160).fill(1_000), atMs: block * 10 });
  }
  const samples = mixed.flatMap((audio) => [...audio.samples]);
  t.ok(Math.abs(samples.length - 20 * 480) < 480, "16 kHz became 48 kHz");
  t.ok(Math.abs(samples[2_400] - 1_000) < 20, "the avatar alone");
  t.ok(Math.abs(samples[7_200] - 3_000) < 40, "both");
});
