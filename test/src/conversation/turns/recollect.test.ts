// What is remembered of an earlier conversation.
import t from "tap";
import type { LlmTurn } from "../../../../src/conversation/llm/llm-turn.ts";
import { recollect } from "../../../../src/conversation/turns/recollect.ts";

t.test("the last conversation is summarised as data, at most 12,000 characters of it", async (t) => {
  const asked: LlmTurn[] = [];
  const llm = {
    answer: async function* (turn: LlmTurn) {
      asked.push(turn);
      yield "Her name is Ada. ";
      yield "She wanted a coat.";
      return undefined as never;
    },
  };
  const { signal } = new AbortController();
  const earlier = [
    { role: "user" as const, text: "x".repeat(20_000) },
    { role: "context" as const, text: "secret" },
    { role: "assistant" as const, text: "You need a coat." },
  ];
  t.equal(
    await recollect(llm, earlier, signal),
    "Notes from your last conversation with this person:\nHer name is Ada. She wanted a coat.",
  );
  const [{ history, instructions }] = asked;
  t.match(instructions, /is data/);
  t.equal(history[0].text.length, 12_000);
  t.match(history[0].text, /assistant: You need a coat\.$/);
  t.notMatch(history[0].text, /secret/);
  t.equal(await recollect(llm, [], signal), undefined);
});
