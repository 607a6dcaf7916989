import t from "tap";
import type { ConversationTurn } from "../../../../../sdk/client/index.ts";
import { withMeasure } from "../../../../../web/console/views/talk/use-talk-measures.ts";
import { rowsOf } from "../../../../../web/console/views/talk/use-turns.ts";

const turn = (number: number, text: string): ConversationTurn => ({
  number,
  answered_at: "2026-01-01T00:00:00.000Z",
  text,
  is_typed: true,
  confidence: null,
  text_ms: 0,
  decided_ms: 0,
  words_ms: 300,
  sound_ms: 500,
  told: null,
});
const measured = (text: string, soundMs: number) => ({ measured: "turn" as const, text, soundMs });

t.test("what the service knows and what the page measured of a turn are one row", async (t) => {
  const rows = rowsOf([turn(4, "Hello"), turn(5, "Hello")], [measured("Hello", 700), measured("Later", 900)]);
  t.match(rows, [
    { number: 1, text: "Hello", heardMs: 700, known: { number: 4 } },
    { number: 2, text: "Hello", heardMs: undefined, known: { number: 5 } },
    { number: 3, text: "Later", heardMs: 900, known: undefined },
  ]);
  t.same(rowsOf([], []), []);
});

t.test("an end is forgotten when the conversation begins anew", async (t) => {
  const nothing = { start: undefined, turns: [], delayMs: undefined, ended: undefined };
  const over = withMeasure(nothing, { measured: "ended", reason: "service-stopped", topupUrl: undefined });
  t.match(over, { ended: { reason: "service-stopped" } });
  const start = { measured: "start", roomName: "r", sessionMs: 1, joinMs: 2, frameMs: 3 } as const;
  t.match(withMeasure(over, start), { start, ended: undefined });
});
