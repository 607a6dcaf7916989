// What the worker is told of a conversation, for the process after this one.
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { applyChange, type CheckpointChange } from "../../../../agent-worker/conversation/reports/checkpoint-change.ts";
import { Checkpoints } from "../../../../agent-worker/conversation/reports/checkpoints.ts";
import type { ConversationCheckpoint } from "../../../../agent-worker/conversation/reports/conversation-checkpoint.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const INTERVAL_MS = 400;

function stage(known?: ConversationCheckpoint, burst = 1) {
  let now: ConversationCheckpoint = known ?? {
    history: [],
    heard: "",
    lines: [],
    lastSeq: 0,
    watchedSeconds: 0,
    unreported: [],
    droppedMessages: 0,
  };
  const told: CheckpointChange[] = [];
  let worker = known;
  const checkpoints = new Checkpoints({
    known,
    read: () => now,
    tell: (change) => {
      // As the channel between the processes does it.
      const copy = JSON.parse(JSON.stringify(change)) as CheckpointChange;
      told.push(copy);
      worker = applyChange(worker, copy);
    },
    rate: { perSecond: 1_000 / INTERVAL_MS, burst },
  });
  return {
    checkpoints,
    told,
    worker: () => worker,
    change: (next: Partial<ConversationCheckpoint>) => {
      now = { ...now, ...next };
      checkpoints.note();
      return now;
    },
  };
}

const said = (text: string) => ({ role: "user" as const, text });
const message = (seq: number) => ({ seq, role: "user" as const, message: `${seq}`, timestamp: "2026-01-02T03:04:05Z" });

t.test("the first change is told at once, and only what has changed", async (t) => {
  const { checkpoints, told, worker, change } = stage();
  const history = [said("One"), said("Two"), said("Three")];
  const unreported = [message(1), message(2)];
  let now = change({ history, unreported, lastSeq: 2 });
  t.same(worker(), now);
  now = change({ history: [history[0], history[2], said("Four")], unreported: unreported.slice(1), heard: "I" });
  t.equal(told.length, 1, "the next one waits");
  await waitFor(() => told.length === 2, "until the interval is over");
  t.same(told[1], {
    history: { left: [1], added: [said("Four")] },
    unreported: { left: [0], added: [] },
    heard: "I",
  });
  t.same(worker(), now);
  await delay(INTERVAL_MS * 2);
  checkpoints.note();
  t.equal(told.length, 2, "nothing has changed");
  checkpoints.close();
});

t.test("a flood of changes is told once an interval, and the last of it, too", async (t) => {
  const { checkpoints, told, worker, change } = stage(undefined, 3);
  let history: ConversationCheckpoint["history"] = [];
  const untilMs = performance.now() + 5 * INTERVAL_MS;
  let count = 0;
  while (performance.now() < untilMs) {
    count += 1;
    history = [...history.slice(-9), said(`${count}`)];
    change({ history, lastSeq: count });
    if (count % 10 === 0) await new Promise(setImmediate);
  }
  await waitFor(() => worker()?.lastSeq === count, "the last change");
  t.ok(told.length <= 10, `${told.length} for ${count} changes`);
  t.same(worker()?.history, history);
  checkpoints.close();
});

t.test("a process that takes over tells the difference to what it was given", async (t) => {
  const { told, worker, change, checkpoints } = stage({
    history: [said("One")],
    heard: "Well",
    lines: ["A line."],
    lastSeq: 1,
    watchedSeconds: 3,
    unreported: [message(1)],
    droppedMessages: 4,
  });
  const now = change({ heard: "", lines: [] });
  t.same(told, [{ heard: "", lines: [] }]);
  t.same(worker(), now);
  checkpoints.close();
});
