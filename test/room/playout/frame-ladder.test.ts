// The frame ladder on a time of its own.
import t from "tap";
import { FrameLadder, type FrameLadderOptions, type FrameRate } from "../../../room/playout/frame-ladder.ts";
import { HOP_MS } from "../../../shared/units.ts";

interface Climb {
  ladder: FrameLadder;
  /** Changes of the rate, with the second in which each happened. */
  changes: string[];
  /** Plays frames for a time; each is `lateMs` late and takes `workMs`. Returns how many had each fate. */
  play(seconds: number, lateMs: number, workMs: number): Record<string, number>;
  /** A frame is 25 ms late, or as late as given, while little audio is queued. */
  scare(lateMs?: number): FrameRate;
  /** From now on no speech is queued. */
  silence(): void;
}

function climb(options: FrameLadderOptions = {}): Climb {
  let nowMs = 0;
  let queuedMs = 70;
  const changes: string[] = [];
  const ladder = new FrameLadder({
    random: () => 0,
    ...options,
    onChange: (rate) => changes.push(`${rate} ${Math.floor(nowMs / 1000)}`),
  });
  return {
    ladder,
    changes,
    play: (seconds, lateMs, workMs) => {
      const fates: Record<string, number> = {};
      for (const endMs = nowMs + seconds * 1000; nowMs < endMs; nowMs += HOP_MS) {
        const fate = ladder.frameDue(nowMs, lateMs, queuedMs);
        fates[fate] = (fates[fate] ?? 0) + 1;
        if (fate === "render") ladder.frameRendered(nowMs, workMs);
      }
      return fates;
    },
    silence: () => {
      queuedMs = Number.POSITIVE_INFINITY;
    },
    scare: (lateMs = 25) => {
      ladder.frameDue(nowMs, lateMs, 30);
      return ladder.rate;
    },
  };
}

t.test("on a fast machine every frame is rendered, and single stalls change nothing", (t) => {
  const { ladder, changes, play } = climb();
  t.same(play(10, 35, 8), { render: 250 }, "also late, up to the time of the next one");
  for (let stall = 0; stall < 5; stall++) {
    t.same(play(0.08, 60, 8), { drop: 2 }, "what is too late is dropped");
    t.same(play(2, 0, 8), { render: 50 });
  }
  t.equal(ladder.frameDue(40_000, 35, 50), "render", "there is enough audio");
  t.equal(ladder.frameDue(40_040, 15, 20), "render", "audio is scarce because its sender is late");
  t.same([ladder.rate, changes], ["full", []]);
  t.end();
});

t.test("frames that stay late halve the rate, then freeze the face, which is shown once a second", (t) => {
  const { changes, play } = climb();
  t.same(play(0.16, 45, 8), { drop: 4 });
  t.same(changes, ["half 0"]);
  t.same(play(0.24, 45, 8), { drop: 5, rest: 1 });
  t.same(changes, ["half 0", "frozen 0"]);
  t.same(play(10, 45, 8), { rest: 10, withhold: 240 });
  t.same(changes, ["half 0", "frozen 0"], "no way up while frames are late");
  t.end();
});

t.test("frames that cost more than their time halve the rate; at half of it they are affordable", (t) => {
  const { changes, play } = climb();
  play(1, 0, 60);
  t.same(changes, ["half 0"]);
  t.same(play(20, 0, 60), { render: 250, withhold: 250 });
  t.same(changes, ["half 0"], "and it stays there: at the full rate they would be too expensive again");
  play(10, 0, 8);
  t.same(changes.length, 2, "when they are cheap again, all are rendered");
  t.match(changes[1], /^full 2\d$/);
  t.end();
});

t.test("a delay while little audio is queued is worth a step at once", (t) => {
  const { changes, play, scare } = climb();
  t.equal(scare(), "half");
  play(0.2, 0, 8);
  t.equal(scare(), "half", "the step has time to take effect");
  play(0.2, 0, 8);
  t.equal(scare(), "frozen");
  t.equal(scare(), "frozen");
  play(1.5, 0, 8);
  t.same(changes, ["half 0", "frozen 0"]);
  play(0.8, 0, 8);
  t.same(changes.slice(2), ["half 2"], "up again after two calm seconds");
  play(2, 0, 8);
  t.same(changes.slice(3), ["full 4"]);
  t.end();
});

t.test("a step up that fails soon doubles the time until the next; one that holds resets it", (t) => {
  const { changes, play, scare } = climb();
  scare();
  const waits: number[] = [];
  for (let attempt = 0; attempt < 6; attempt++) {
    let waited = 0;
    for (const before = changes.length; changes.length === before; waited += HOP_MS) play(HOP_MS / 1000, 0, 8);
    waits.push(Math.round(waited / 1000));
    scare();
  }
  t.same(waits, [2, 4, 8, 16, 32, 32]);
  play(32.1, 0, 8);
  t.match(changes.at(-1), /^full/);
  play(11, 0, 8);
  scare();
  play(2.1, 0, 8);
  t.match(changes.at(-1), /^full/);
  t.end();
});

t.test("the highest rate is never exceeded", (t) => {
  const { changes, play } = climb({ highest: "half" });
  t.same(play(60, 0, 8), { render: 750, withhold: 750 });
  t.same(changes, []);
  t.end();
});

t.test("on a full machine scarce audio ends the full rate, and a step up waits until cores are free", (t) => {
  let freeCores = 0.05;
  const { changes, play, scare } = climb({ freeCores: () => freeCores });
  t.equal(scare(0), "half", "scarce audio alone");
  play(1, 0, 8);
  t.equal(scare(0), "half", "but it does not freeze the face: its sender may be late");
  play(6.9, 0, 8);
  t.same(changes.length, 1, "on a machine with room it would be up after two seconds");
  play(0.3, 0, 8);
  t.same(changes.slice(1), ["full 8"]);
  t.equal(scare(0), "half");
  freeCores = 1;
  play(1.9, 0, 8);
  t.same(changes.length, 3);
  play(0.3, 0, 8);
  t.same(changes.slice(3), ["full 10"], "two seconds after the fall, which the full machine explains");
  t.end();
});

t.test("a silent face is not frozen for frames that are late, only for frames that it cannot afford", (t) => {
  const { changes, play, silence } = climb();
  silence();
  play(3, 45, 8);
  t.same(changes, ["half 0"]);
  play(4, 0, 100);
  t.equal(changes[1], "frozen 3");
  t.end();
});

t.test("sessions step up at different moments, within twice the time", (t) => {
  const first = climb({ random: () => 0 });
  const last = climb({ random: () => 0.99 });
  for (const { play } of [first, last]) {
    play(0.16, 45, 8);
    play(10, 0, 8);
  }
  t.same(first.changes, ["half 0", "full 2"]);
  t.same(last.changes, ["half 0", "full 4"]);
  t.end();
});
