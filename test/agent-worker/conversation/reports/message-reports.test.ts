// Messages on their way to the api.
import t from "tap";
import { MessageReports } from "../../../../agent-worker/conversation/reports/message-reports.ts";
import { createLogger } from "../../../../program/log.ts";
import type { SessionMessage } from "../../../../shared/runtime-api.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });
const at = new Date("2026-01-02T03:04:05Z");

function reports({
  fails = 0,
  refuses = false,
  lastSeq = 0,
  waiting = [] as SessionMessage[],
  now = (): number => 0,
} = {}) {
  const sent: SessionMessage[][] = [];
  let left = fails;
  const queue = new MessageReports({
    api: {
      reportMessages: async ({ messages }) => {
        if (refuses) throw new Error("refused");
        if (left-- > 0) throw new Error("away");
        sent.push(messages);
      },
      isRefusal: (error) => error instanceof Error && error.message === "refused",
    },
    lastSeq,
    waiting,
    dropped: 0,
    logger,
    now,
  });
  queue.start();
  const add = (text: string, role: "user" | "assistant" = "user") => {
    queue.add({ role, text, at });
    queue.release(queue.lastSeq);
  };
  return { queue, sent, add };
}

t.test("each message is reported once, in order, with a number that goes on", async (t) => {
  const { queue, sent, add } = reports({ lastSeq: 7 });
  for (const text of ["One.", "Two.", "Three."]) add(text);
  await waitFor(() => queue.waiting.length === 0, "all are reported");
  t.same(
    sent.flat().map(({ seq, message }) => `${seq} ${message}`),
    ["8 One.", "9 Two.", "10 Three."],
  );
  t.equal(sent.flat()[0].timestamp, "2026-01-02T03:04:05.000Z");
  const times = { isTyped: false, textMs: 80, decidedMs: 210, firstPieceMs: 350, firstSoundMs: undefined };
  queue.add({ role: "assistant", text: "Four.", at, times });
  queue.release(queue.lastSeq);
  await waitFor(() => queue.waiting.length === 0, "the answer is reported");
  t.same(
    sent.flat().map(({ latency }) => latency),
    [undefined, undefined, undefined, { is_typed: false, text_ms: 80, decided_ms: 210, words_ms: 350, sound_ms: null }],
    "an answer has its latencies",
  );
});

t.test("an api that is away gets them when it is back", async (t) => {
  const { queue, sent, add } = reports({ fails: 2 });
  add("One.");
  add("Two.", "assistant");
  await waitFor(() => queue.waiting.length === 0, "they are reported");
  t.same(
    sent.flat().map(({ message }) => message),
    ["One.", "Two."],
  );
});

t.test("what an earlier process could not report comes first", async (t) => {
  const left = { seq: 4, role: "user" as const, message: "Left.", timestamp: at.toISOString() };
  const { queue, sent, add } = reports({ lastSeq: 4, waiting: [left] });
  add("New.");
  await waitFor(() => queue.waiting.length === 0, "both are reported");
  t.same(
    sent.flat().map(({ seq }) => seq),
    [4, 5],
  );
});

t.test("a refusal ends the reports", async (t) => {
  const { queue, sent } = reports({ refuses: true });
  queue.add({ role: "user", text: "One.", at });
  await queue.close();
  t.same(sent, []);
});

t.test("a message waits until the next process would know of it", async (t) => {
  const { queue, sent } = reports();
  queue.add({ role: "user", text: "One.", at });
  queue.add({ role: "user", text: "Two.", at });
  await new Promise(setImmediate);
  t.same(sent, []);
  queue.release(1);
  await waitFor(() => queue.waiting.length === 1, "the first is reported");
  t.same(
    sent.flat().map(({ seq }) => seq),
    [1],
  );
  await queue.close();
  t.equal(sent.flat().length, 2, "at the end, all are");
});

t.test("a thousand messages and 2 MB wait at most; the oldest are dropped and counted", async (t) => {
  let nowMs = 0;
  const { queue } = reports({ fails: 10_000, now: () => nowMs });
  for (let i = 0; i < 1_200; i++) {
    queue.add({ role: "user", text: `${i}`, at });
    nowMs += 1_000;
  }
  t.equal(queue.waiting.length, 1_000);
  t.equal(queue.waiting[0].message, "200");
  t.equal(queue.dropped, 200);
  for (let i = 0; i < 300; i++) {
    queue.add({ role: "user", text: "€".repeat(20_000), at });
    nowMs += 120_000;
  }
  t.equal(queue.waiting.length, 33, "60,000 bytes each");
  await queue.close();
});

t.test("of 12,800 messages, as many are reported as people could say; the rest is counted", async (t) => {
  let nowMs = 0;
  const { queue, sent, add } = reports({ now: () => nowMs });
  for (let i = 0; i < 12_800; i++) add("x".repeat(20_000));
  await waitFor(() => queue.waiting.length === 0, "all are reported");
  t.equal(sent.flat().length, 10, "200,000 bytes");
  t.equal(queue.dropped, 12_790);
  nowMs += 40_000;
  add("And now?");
  await waitFor(() => queue.waiting.length === 0, "later ones are");
  t.match(sent.at(-1), [{ seq: 11, message: "And now?" }]);
});
