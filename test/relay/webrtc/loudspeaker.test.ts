// What a caller hears of the upstream's audio, on a clock of the test's.
import t, { type Test } from "tap";
import { type AnswerPart, Loudspeaker } from "../../../relay/webrtc/loudspeaker.ts";

const RATE_HZ = 24_000;
const FIRST: AnswerPart = { responseId: "r1", itemId: "i1", contentIndex: 0 };
const SECOND: AnswerPart = { responseId: "r2", itemId: "i2", contentIndex: 0 };

function pcm(ms: number, level = 8_000): string {
  return Buffer.from(new Int16Array((RATE_HZ * ms) / 1000).fill(level).buffer).toString("base64");
}

/** A loudspeaker with a timer that is turned by hand: `play(ms)` lets that much time pass. */
function stage(t: Test) {
  const frames: Int16Array[] = [];
  const notes: string[] = [];
  let nowMs = 0;
  let tick = () => {};
  t.intercept(globalThis, "setInterval", {
    value: (work: () => void) => {
      tick = work;
      return 0;
    },
  });
  const loudspeaker = new Loudspeaker({
    onFrame: (samples) => frames.push(samples.slice()),
    onStarted: (id) => notes.push(`started ${id}`),
    onStopped: (id) => notes.push(`stopped ${id}`),
    onDrain: () => notes.push("drain"),
    now: () => nowMs,
  });
  loudspeaker.start();
  return {
    loudspeaker,
    frames,
    notes,
    pass(ms: number) {
      for (const endMs = nowMs + ms; nowMs < endMs; ) {
        nowMs += 20;
        tick();
      }
    },
    stall(ms: number) {
      nowMs += ms;
      tick();
    },
    loudMs: () => frames.filter((frame) => frame.some((sample) => Math.abs(sample) > 4_000)).length * 10,
  };
}

t.test("audio that arrives at once is played in real time, between silence", async (t) => {
  const { loudspeaker, frames, notes, pass, loudMs } = stage(t);
  pass(100);
  t.equal(frames.length, 10, "silence, too: gaps would change the caller's delay");
  t.ok(loudspeaker.play(FIRST, pcm(400)));
  t.ok(loudspeaker.play(FIRST, pcm(200)));
  loudspeaker.finish("r1");
  pass(300);
  t.same(notes, ["started r1"]);
  t.equal(frames.length, 40);
  pass(500);
  t.ok(Math.abs(loudMs() - 600) <= 10, `${loudMs()} ms`);
  t.same(notes, ["started r1", "stopped r1"]);
});

t.test("a response that comes in pieces stops once, after the last of them", async (t) => {
  const { loudspeaker, notes, pass } = stage(t);
  loudspeaker.play(FIRST, pcm(100));
  pass(300);
  t.same(notes, ["started r1"], "its next piece may be late");
  loudspeaker.play(FIRST, pcm(100));
  loudspeaker.finish("r1");
  pass(40);
  loudspeaker.play(SECOND, pcm(100));
  pass(400);
  loudspeaker.finish("r2");
  pass(60);
  t.same(notes, ["started r1", "stopped r1", "started r2", "stopped r2"]);
});

t.test("what is cleared is not heard, and it is known how much was", async (t) => {
  const { loudspeaker, frames, pass } = stage(t);
  t.equal(loudspeaker.clear(), undefined, "nothing is said");
  loudspeaker.play(FIRST, pcm(5_000));
  pass(1_000);
  const cut = loudspeaker.clear();
  t.same(cut?.part, FIRST);
  t.ok(Math.abs((cut?.heardMs ?? 0) - 1_000) <= 20, `${cut?.heardMs} ms`);
  const before = frames.length;
  pass(200);
  t.ok(frames.slice(before).every((frame) => frame.every((sample) => sample === 0)));
  loudspeaker.play(SECOND, pcm(100));
  t.match(loudspeaker.clear(), { part: SECOND, heardMs: 0 }, "nothing of it was heard yet");
});

t.test("five minutes wait at most, and a process that stood still goes on from now", async (t) => {
  const { loudspeaker, frames, notes, pass, stall } = stage(t);
  t.equal(loudspeaker.play(FIRST, pcm(301_000)), false);
  loudspeaker.clear();
  t.same(notes, ["drain"]);
  t.equal(loudspeaker.play(FIRST, pcm(1_000)), true);
  pass(100);
  const before = frames.length;
  stall(5_000);
  t.ok(frames.length - before <= 4, "without a burst");
});

t.test("telephone audio is played, and garbage is no audio", async (t) => {
  const { loudspeaker, pass, loudMs } = stage(t);
  loudspeaker.format = "g711_ulaw";
  loudspeaker.play(FIRST, Buffer.alloc(800, 0x10).toString("base64"));
  pass(200);
  t.ok(Math.abs(loudMs() - 100) <= 10, `${loudMs()} ms`);
  t.equal(loudspeaker.play(SECOND, "§$%"), true);
});

t.test("tiny pieces of audio are bounded by their number, which takes more memory than their samples", (t) => {
  const { loudspeaker, notes, pass } = stage(t);
  const sample = Buffer.from(new Int16Array(1).buffer).toString("base64");
  let count = 0;
  while (loudspeaker.play(FIRST, sample)) count += 1;
  t.equal(count, 20_000);
  t.ok(loudspeaker.heldBytes > count * 250, `${loudspeaker.heldBytes} bytes`);
  pass(200);
  t.same(
    notes.filter((note) => note === "drain"),
    ["drain"],
  );
  t.end();
});
