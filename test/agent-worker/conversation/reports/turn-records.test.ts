import t from "tap";
import { TurnRecords } from "../../../../agent-worker/conversation/reports/turn-records.ts";
import { TURNS_MAX_BYTES, turnRecordSchema } from "../../../../shared/runtime-api.ts";
import { ScriptedConversation, settled } from "../../../helpers/conversation/scripted-conversation.ts";

const TIMES = { isTyped: false, textMs: 210, decidedMs: 300, firstPieceMs: 480, firstSoundMs: undefined };
const SOURCES = { instructions: "Be kind.", history: [], passages: [], hasImage: false };

t.test("a turn has what was understood, with its confidence, and what the model was told", async (t) => {
  const records = new TurnRecords();
  const passage = { file_name: "tea.md", heading: "Green", text: "Steep it for two minutes." };
  const scripted = new ScriptedConversation({
    texts: [{ text: "How long?", language: "en", meanLogProbability: Math.log(0.8) }],
    history: [{ role: "context", text: "It is raining." }],
    search: async () => [passage],
    onSources: (sources) => records.asked(sources),
  });
  await scripted.say();
  scripted.last?.finish();
  await settled();
  records.answered(scripted.turns[0], scripted.words[0]);
  const [record] = records.after(0);
  t.match(record, { number: 1, text: "How long?", is_typed: false, sound_ms: Number });
  t.equal(Math.round(100 * (record.confidence ?? 0)), 80);
  t.same(record.told, {
    instructions: "Be kind.",
    history: [{ role: "context", text: "It is raining." }],
    passages: [passage],
    has_image: false,
    is_cut: false,
  });
  t.ok(turnRecordSchema.safeParse(record).success);
});

t.test("without a model, the passages that were found are told, and no instructions", async (t) => {
  const records = new TurnRecords();
  const scripted = new ScriptedConversation({ llm: () => null, onSources: (sources) => records.asked(sources) });
  scripted.conversation.type("Who are you?");
  await settled();
  scripted.last?.finish();
  await settled();
  records.answered(scripted.turns[0], scripted.words[0]);
  t.match(records.after(0), [{ is_typed: true, confidence: null, told: { instructions: null, passages: [] } }]);
});

t.test("an answer that was dropped is not told as the turn's", async (t) => {
  const records = new TurnRecords();
  records.asked({ ...SOURCES, text: "I would like" });
  records.answered(TIMES, { text: "I would like tea.", confidence: undefined });
  t.match(records.after(0), [{ text: "I would like tea.", told: null }]);
});

t.test("the last twenty turns are remembered, and found by number", async (t) => {
  const records = new TurnRecords();
  for (let n = 1; n <= 25; n++) records.answered(TIMES, { text: `${n}`, confidence: undefined });
  t.same(
    records.after(0).map(({ number }) => number),
    Array.from({ length: 20 }, (_, index) => index + 6),
  );
  t.same(
    records.after(23).map(({ text }) => text),
    ["24", "25"],
  );
  t.same(records.after(25), []);
});

t.test("one reply holds the longest turn, cut, and what follows comes with the next", async (t) => {
  const records = new TurnRecords();
  const long = "\u0001漢字".repeat(20_000);
  const passages = Array.from({ length: 9 }, () => ({ file_name: long, heading: long, text: long }));
  const history = Array.from({ length: 90 }, () => ({ role: "user" as const, text: long }));
  for (let n = 0; n < 2; n++) {
    records.asked({ text: long, instructions: long, history, passages, hasImage: true });
    records.answered(TIMES, { text: long, confidence: 0.5 });
  }
  const first = records.after(0);
  t.match(first, [{ number: 1, told: { is_cut: true, has_image: true } }]);
  t.ok(Buffer.byteLength(JSON.stringify(first)) <= TURNS_MAX_BYTES);
  t.match(records.after(1), [{ number: 2, told: { is_cut: true } }]);
});
