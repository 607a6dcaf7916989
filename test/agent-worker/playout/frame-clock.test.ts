// The clock on a time of its own: waits are counted, not slept through.
import t from "tap";
import { FrameClock, type FrameClockOptions } from "../../../agent-worker/playout/frame-clock.ts";

/** A clock that never waits: each test sets the time at which it requests a frame. */
function clockAt(options: Partial<FrameClockOptions> = {}): { clock: FrameClock; at(ms: number): void } {
  let nowMs = 0;
  const clock = new FrameClock({ catchUpLimitMs: 60, leadAfterWakeMs: 10, now: () => nowMs, ...options });
  return {
    clock,
    at: (ms) => {
      nowMs = ms;
    },
  };
}

t.test("frame n is due at n × 40 ms, even if earlier frames began late", async (t) => {
  const { clock, at } = clockAt();
  const due: number[] = [];
  for (const [frame, lateMs] of [0, 7, 3, 39, 0, 12].entries()) {
    at(frame * 40 + lateMs);
    const { dueMs, skippedFrames, ...late } = await clock.next();
    t.same({ lateMs: late.lateMs, skippedFrames }, { lateMs, skippedFrames: 0 });
    due.push(dueMs);
  }
  t.same(due, [0, 40, 80, 120, 160, 200]);
});

t.test("missed frames are caught up within the limit and skipped after a longer stall", async (t) => {
  const { clock, at } = clockAt();
  await clock.next();
  at(100);
  t.same(await clock.next(), { dueMs: 40, lateMs: 60, skippedFrames: 0 }, "60 ms late is within the limit");
  t.same(await clock.next(), { dueMs: 80, lateMs: 20, skippedFrames: 0 }, "the next one follows at once");
  at(1000);
  t.same(await clock.next(), { dueMs: 1000, lateMs: 880, skippedFrames: 22 }, "the clock is in the present again");
  at(1040);
  t.same(await clock.next(), { dueMs: 1040, lateMs: 0, skippedFrames: 0 });
});

t.test("a wake makes the next frame due at once and shortens the frame after it", async (t) => {
  const { clock, at } = clockAt();
  await clock.next();
  at(15);
  const frame = clock.next();
  clock.wake();
  t.same(await frame, { dueMs: 15, lateMs: 0, skippedFrames: 0 }, "it does not wait for 40 ms");
  at(45);
  t.same(await clock.next(), { dueMs: 45, lateMs: 0, skippedFrames: 0 }, "30 ms later: the lead is 10 ms");
  at(85);
  t.same((await clock.next()).dueMs, 85, "40 ms again");
});

t.test(
  "time by which wakes shortened frames is made up for in small steps, so that the mean rate stays 25 fps",
  async (t) => {
    const { clock, at } = clockAt();
    await clock.next();
    at(15);
    clock.wake();
    await clock.next(); // 25 ms early, and 10 ms of lead: 35 ms were taken.
    let dueMs = 45;
    let frames = 0;
    for (; dueMs < 40 * (frames + 2); frames++) {
      at(dueMs);
      t.equal((await clock.next()).dueMs, dueMs);
      clock.stretch();
      dueMs += 40 + Math.min(4, Math.max(0, 35 - 4 * frames));
    }
    t.equal(frames, 9, "35 ms in steps of 4");
    at(dueMs);
    await clock.next();
    clock.stretch();
    at(dueMs + 40);
    t.same((await clock.next()).lateMs, 0, "nothing more is given than was taken");
  },
);

t.test("a cancelled wake has no effect", async (t) => {
  const { clock, at } = clockAt();
  await clock.next();
  clock.wake();
  clock.forgetWake();
  at(40);
  t.same(await clock.next(), { dueMs: 40, lateMs: 0, skippedFrames: 0 });
});

t.test("holding ends with a wake or after its time limit, and does not move later frames", async (t) => {
  const { clock, at } = clockAt();
  await clock.next();
  at(40);
  await clock.next();
  const held = clock.hold(60_000);
  clock.wake();
  await held;
  await clock.hold(0);
  await clock.hold(1);
  at(80);
  t.same(await clock.next(), { dueMs: 80, lateMs: 0, skippedFrames: 0 });
});

t.test("repeated wakes do not make the clock run faster than its limit", async (t) => {
  const clock = new FrameClock({ catchUpLimitMs: 60, leadAfterWakeMs: 10 });
  const due: number[] = [];
  for (let i = 0; i < 5; i++) {
    clock.wake();
    due.push((await clock.next()).dueMs);
  }
  for (let i = 1; i < due.length; i++) t.ok(due[i] - due[i - 1] >= 5, `${due[i] - due[i - 1]} ms`);
});
