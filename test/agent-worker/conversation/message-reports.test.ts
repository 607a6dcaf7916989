// Messages on their way to the api.
import t from "tap";
import { MessageReports } from "../../../agent-worker/conversation/message-reports.ts";
import { createLogger } from "../../../shared/log.ts";
import type { SessionMessage } from "../../../shared/runtime-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });
const at = new Date("2026-01-02T03:04:05Z");

function reports({ fails = 0, refuses = false, lastSeq = 0, waiting = [] as SessionMessage[] } = {}) {
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
    logger,
  });
  return { queue, sent };
}

t.test("each message is reported once, in order, with a number that goes on", async (t) => {
  const { queue, sent } = reports({ lastSeq: 7 });
  for (const text of ["One.", "Two.", "Three."]) queue.add({ role: "user", text, at });
  await waitFor(() => queue.waiting.length === 0, "all are reported");
  t.same(
    sent.flat().map(({ seq, message }) => `${seq} ${message}`),
    ["8 One.", "9 Two.", "10 Three."],
  );
  t.equal(sent.flat()[0].timestamp, "2026-01-02T03:04:05.000Z");
});

t.test("an api that is away gets them when it is back", async (t) => {
  const { queue, sent } = reports({ fails: 2 });
  queue.add({ role: "user", text: "One.", at });
  queue.add({ role: "assistant", text: "Two.", at });
  await waitFor(() => queue.waiting.length === 0, "they are reported", 5_000);
  t.same(
    sent.flat().map(({ message }) => message),
    ["One.", "Two."],
  );
});

t.test("what an earlier process could not report comes first", async (t) => {
  const left = { seq: 4, role: "user" as const, message: "Left.", timestamp: at.toISOString() };
  const { queue, sent } = reports({ lastSeq: 4, waiting: [left] });
  queue.add({ role: "user", text: "New.", at });
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

t.test("a thousand wait at most; the oldest are dropped", async (t) => {
  const { queue } = reports({ fails: 10_000 });
  for (let i = 0; i < 1_200; i++) queue.add({ role: "user", text: `${i}`, at });
  t.equal(queue.waiting.length, 1_000);
  t.equal(queue.waiting[0].message, "200");
  await queue.close();
});
