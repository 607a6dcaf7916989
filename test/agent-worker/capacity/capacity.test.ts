// How many sessions a worker takes, by what one costs and by what the machine has left.
import t from "tap";
import { Capacity } from "../../../agent-worker/capacity/capacity.ts";
import { MachineLoad } from "../../../agent-worker/capacity/machine-load.ts";

const GIGABYTE = 1024 ** 3;

function capacityOf(options: { cores: number; freeCores: number; freeBytes?: number; maxSessions?: number }) {
  const { cores, maxSessions = 100 } = options;
  const state = { freeCores: options.freeCores };
  const machine = {
    cores,
    freeCores: () => state.freeCores,
    freeMemoryBytes: () => options.freeBytes ?? 64 * GIGABYTE,
  };
  return { state, capacity: new Capacity({ maxSessions, isMeasured: true, machine }) };
}

t.test("a faster machine, more cores and less other work allow more sessions", async (t) => {
  const { capacity, state } = capacityOf({ cores: 4, freeCores: 4 });
  capacity.calibrate(0.8);
  const slow = capacity.most(0, 0);
  capacity.calibrate(0.4);
  const fast = capacity.most(0, 0);
  t.ok(fast >= 2 * slow - 1 && slow >= 1, `${slow} sessions, ${fast} at twice the speed`);
  state.freeCores = 2;
  const beside = capacity.most(0, 0);
  t.ok(beside < fast, `${beside} beside a neighbour`);
  t.equal(capacity.most(3, 3), beside, "sessions that have just begun take slots before their work is measured");
  t.equal(capacity.most(3, 0), 3 + beside, "later, what they leave counts");
  state.freeCores = 0;
  t.equal(capacity.most(2, 0), 2, "no capacity, no further session");
  t.equal(capacity.most(0, 0), 1, "a worker without sessions takes one");
});

t.test("the cost of a session follows those that run, and overload stops admission", async (t) => {
  const { capacity } = capacityOf({ cores: 2, freeCores: 1.5 });
  capacity.calibrate(0.4);
  const calibrated = capacity.sessionCores;
  for (let report = 0; report < 20; report++) capacity.noteCost(0.4);
  t.ok(capacity.sessionCores > calibrated, "dearer than calibrated");
  for (let report = 0; report < 20; report++) capacity.noteCost(0.001);
  t.ok(capacity.sessionCores > 0.4 * calibrated, "silent sessions may speak at any time");
  t.ok(capacity.most(1, 0) > 1);
  capacity.noteFrameRate("half", "full");
  t.ok(capacity.most(1, 0) > 1, "a burst of another program lowers the frame rate for less than two reports");
  capacity.noteFrameRate("half", "half");
  t.equal(capacity.most(1, 0), 1, "a session that lowered its frame rate shows that there is no capacity");
});

t.test("the cost of a light session follows those that run, and is not that of a streamed one", async (t) => {
  const { capacity } = capacityOf({ cores: 2, freeCores: 1.5 });
  capacity.calibrate(0.4);
  const [streamed, expected] = [capacity.most(0, 0), capacity.mostLight({ held: 0, starting: 0 }, 0, 0)];
  for (let report = 0; report < 20; report++) capacity.noteCost(0.12, true);
  const dear = capacity.mostLight({ held: 0, starting: 0 }, 0, 0);
  t.ok(Math.abs(dear - expected / 2) <= 1, `${expected} sessions, ${dear} that cost twice as much`);
  t.equal(capacity.most(0, 0), streamed, "the streamed ones cost what they cost");
  for (let report = 0; report < 20; report++) capacity.noteCost(0.001, true);
  t.ok(capacity.mostLight({ held: 0, starting: 0 }, 0, 0) < 2 * expected, "silent sessions may speak at any time");
});

t.test("a frame rate that the operator chose is no overload", async (t) => {
  const machine = { cores: 2, freeCores: () => 1.5, freeMemoryBytes: () => 64 * GIGABYTE };
  const capacity = new Capacity({ maxSessions: 16, isMeasured: true, highestRate: "half", machine });
  capacity.noteFrameRate("half");
  t.ok(capacity.most(1, 0) > 1);
  capacity.noteFrameRate("frozen");
  t.equal(capacity.most(1, 0), 1, "a face that stands still is one");
});

t.test("the slot of a session that has ended is free before the machine shows it", async (t) => {
  const { capacity, state } = capacityOf({ cores: 4, freeCores: 4 });
  const all = capacity.most(0, 0);
  state.freeCores = 4 - all * capacity.sessionCores;
  t.equal(capacity.most(all, 0), all, "the machine is full");
  t.equal(capacity.most(all - 1, -1), all, "one has just ended");
  t.equal(capacity.most(all, 0), all, "and its successor takes its slot");
});

/** A machine that other work keeps busy from `fromMs` to `untilMs`, sampled every half second from `phaseMs` on. */
function loadOf(options: { phaseMs: number; fromMs: number; untilMs: number; endMs: number }): MachineLoad {
  const { phaseMs, fromMs, untilMs, endMs } = options;
  const load = new MachineLoad(10_000, 20);
  for (let atMs = phaseMs; atMs <= endMs; atMs += 500) {
    const busyMs = Math.max(0, Math.min(atMs, untilMs) - fromMs);
    load.note({ atMs, freeMs: load.cores * (atMs - busyMs) });
  }
  return load;
}

t.test("a burst of another program that is shorter than 4 s changes nothing, a lasting load counts", async (t) => {
  const from = { fromMs: 20_000 };
  for (let phaseMs = 0; phaseMs < 500; phaseMs += 20) {
    for (let endMs = 20_000; endMs < 36_000; endMs += 250) {
      const load = loadOf({ ...from, phaseMs, untilMs: 23_990, endMs });
      if (load.usualFreeCores() < load.cores) t.fail(`burst: phase ${phaseMs}, at ${endMs}: ${load.usualFreeCores()}`);
    }
    const lasting = loadOf({ ...from, phaseMs, untilMs: 60_000, endMs: 26_500 });
    t.ok(lasting.usualFreeCores() < 0.1, "a neighbour that stays is seen within 6.5 s");
    const over = loadOf({ ...from, phaseMs, untilMs: 60_000, endMs: 66_500 });
    t.equal(over.usualFreeCores(), over.cores, "and so is its end");
  }
});

t.test("memory and the operator's limit bound the number, too", async (t) => {
  t.equal(capacityOf({ cores: 64, freeCores: 64, maxSessions: 8 }).capacity.most(0, 0), 8);
  const little = capacityOf({ cores: 64, freeCores: 64, freeBytes: GIGABYTE / 2 });
  t.ok(little.capacity.most(0, 0) <= 4);
  const machine = { cores: 1, freeCores: () => 0, freeMemoryBytes: () => 0 };
  t.equal(new Capacity({ maxSessions: 5, isMeasured: false, machine }).most(3, 2), 5, "a fixed limit is not measured");
});

t.test("the load of the machine is measured", async (t) => {
  const load = new MachineLoad();
  t.equal(load.freeCores(), load.cores, "nothing is known yet");
  load.start();
  t.ok(load.freeMemoryBytes() > 10 * 1024 * 1024);
  load.close();
  load.close();
});

t.test("realtime sessions leave capacity for an avatar session, and the first one is always taken", async (t) => {
  const { capacity, state } = capacityOf({ cores: 2, freeCores: 1.5 });
  capacity.calibrate(0.4);
  t.equal(capacity.mostRealtime(3, 16), 3 + 6, "at .15 cores each");
  t.equal(capacity.mostRealtime(3, 4), 4);
  state.freeCores = 0.5;
  t.equal(capacity.mostRealtime(1, 16), 1);
  t.equal(capacity.mostRealtime(0, 16), 1);
  state.freeCores = 1.5;
  capacity.noteFrameRate("half");
  t.equal(capacity.mostRealtime(1, 16), 1, "not while an avatar lowers its frame rate");
});

t.test("sessions that viewers render fit where no other does, and many where few do", async (t) => {
  const { capacity, state } = capacityOf({ cores: 2, freeCores: 1.2 });
  const none = { held: 0, starting: 0 };
  const streamed = capacity.most(0, 0);
  t.ok(capacity.mostLight(none, 0, 0) >= 12 && streamed <= 4, `${streamed} streamed`);
  state.freeCores = 0.4;
  t.equal(capacity.most(2, 0), 2, "full");
  t.ok(capacity.mostLight(none, 2, 0) >= 2, "but for light ones");
  t.ok(capacity.mostLight({ held: 2, starting: 2 }, 2, 0) <= capacity.mostLight(none, 2, 0), "those that begin count");
  state.freeCores = 0;
  t.equal(capacity.mostLight({ held: 3, starting: 0 }, 2, 0), 3);
  t.equal(capacity.most(0, 0, { held: 3, starting: 0 }), 0, "a worker with light sessions is not idle");
});

t.test("a light session takes a sixth of the slots that the operator allows", async (t) => {
  const machine = { cores: 2, freeCores: () => 0, freeMemoryBytes: () => 0 };
  const capacity = new Capacity({ maxSessions: 3, isMeasured: false, machine });
  t.equal(capacity.mostLight({ held: 0, starting: 0 }, 0, 0), 18);
  t.equal(capacity.mostLight({ held: 4, starting: 0 }, 2, 0), 6);
  t.equal(capacity.most(0, 0, { held: 7, starting: 0 }), 1);
  t.equal(capacity.mostLight({ held: 0, starting: 0 }, 3, 0), 0);
});
