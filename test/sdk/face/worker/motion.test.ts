// Motion in a tab: when its audio is heard, and which pose is shown next, whatever the network does.
import t from "tap";
import { MotionClock } from "../../../../sdk/face/worker/motion-clock.ts";
import { MOST_FRAMES, MotionQueue, type QueuedFrame } from "../../../../sdk/face/worker/motion-queue.ts";
import { Pace } from "../../../../sdk/face/worker/pace.ts";
import { FACE_PARAMETER_COUNT } from "../../../../shared/face-parameters.ts";
import { decodeMotionPacket, encodeMotionPacket } from "../../../../shared/motion-packet.ts";
import { createEngine } from "../../../../src/face/engine/create-engine.ts";
import { openAvatar } from "../../../../src/face/rendering/open-avatar.ts";
import { bakedFace } from "../../../helpers/faces/baked-face.ts";
import { lipSyncModel, runtime } from "../../../helpers/faces/with-engine.ts";
import { speakSentences } from "../../../helpers/speech/spoken.ts";

/** Starts of the two clocks, ms: a tab and a worker that run for different times. */
const OFFSET_MS = -7_200_000;
const HOUR_MS = 3_600_000;

t.test("the fastest packets tell the clocks' difference, and jitter changes nothing", (t) => {
  const clock = new MotionClock();
  t.equal(clock.heardMs(1000), undefined, "nothing is known yet");
  let seed = 7;
  for (let sentMs = 8_000_000; sentMs < 8_030_000; sentMs += 40) {
    seed = (seed * 16807) % 2147483647;
    clock.arrived(sentMs, sentMs + OFFSET_MS + 15 + (seed % 80));
  }
  clock.setDelay(60);
  const heardMs = clock.heardMs(8_030_000)!;
  t.ok(Math.abs(heardMs - (8_030_000 + OFFSET_MS + 15 + 60)) < 5, `${heardMs - 8_030_000 - OFFSET_MS}`);
  t.end();
});

t.test("clocks that drift apart by 200 ppm are followed within 3 ms", (t) => {
  const clock = new MotionClock();
  for (const drift of [1.0002, 0.9998]) {
    let atMs = 0;
    for (let sentMs = 0; sentMs < 10 * 60_000; sentMs += 40) {
      atMs = sentMs * drift + 15 + (sentMs % 7) * 5;
      clock.arrived(sentMs, atMs);
    }
    const trueMs = 10 * 60_000 * drift + 15;
    t.ok(Math.abs(clock.heardMs(10 * 60_000)! - trueMs) < 3, `${drift}`);
    clock.reset();
  }
  t.end();
});

t.test("a tab that slept for an hour is in step after the first packet that came at once", (t) => {
  const clock = new MotionClock();
  for (let sentMs = 0; sentMs < 20_000; sentMs += 40) clock.arrived(sentMs, sentMs + 15);
  // What waited comes in a burst, late by up to an hour; then packets come as before, and its clock went on meanwhile.
  for (let sentMs = HOUR_MS - 2000; sentMs < HOUR_MS; sentMs += 40) clock.arrived(sentMs, HOUR_MS + 500);
  clock.arrived(HOUR_MS + 520, HOUR_MS + 535);
  t.equal(clock.heardMs(HOUR_MS + 520), HOUR_MS + 535);
  // Other machines stop the clock of a page while they sleep.
  const asleepMs = HOUR_MS / 2;
  clock.arrived(2 * HOUR_MS, 2 * HOUR_MS - asleepMs + 15);
  t.equal(clock.heardMs(2 * HOUR_MS), 2 * HOUR_MS - asleepMs + 15);
  t.end();
});

t.test("the clock of a worker that was set back is followed within a second of packets", (t) => {
  const clock = new MotionClock();
  for (let sentMs = 100_000; sentMs < 110_000; sentMs += 40) clock.arrived(sentMs, sentMs + 15);
  for (let atMs = 110_000; atMs < 111_080; atMs += 40) clock.arrived(atMs - 60_000, atMs + 15);
  t.equal(clock.heardMs(50_000), 110_015);
  t.end();
});

t.test("the delay of audio is followed smoothly, and a change at once", (t) => {
  const clock = new MotionClock();
  clock.arrived(0, 0);
  clock.setDelay(50);
  clock.setDelay(58);
  t.equal(clock.heardMs(0), 52);
  clock.setDelay(400);
  t.equal(clock.heardMs(0), 400, "a stall has filled the buffer");
  clock.setDelay(60);
  t.equal(clock.heardMs(0), 60);
  t.end();
});

t.test("frames come out in order, each once, whatever order they came in", (t) => {
  const queue = new MotionQueue();
  for (const index of [3, 1, 2, 1, 5, 3, 4]) queue.add(frame(index));
  t.same(taken(queue), [1, 2, 3, 4, 5]);
  queue.add(frame(4));
  t.same(taken(queue), [], "what was shown is over");
  t.end();
});

t.test("a few missing frames are made up from their neighbours, and more are not", (t) => {
  const queue = new MotionQueue();
  queue.add(frame(1, 0.1));
  queue.add(frame(4, 0.4));
  t.equal(queue.take()?.index, 1);
  const made = queue.take()!;
  t.match(made, { index: 2, atMs: 80 });
  t.ok(Math.abs(made.parameters[0] - 0.2) < 1e-6);
  queue.add(frame(3, 0.9));
  t.ok(Math.abs(queue.take()!.parameters[0] - 0.9) < 1e-6, "one that came in time takes the place of a made one");
  queue.take();
  queue.add(frame(50));
  t.same(taken(queue), [50]);
  t.end();
});

t.test("a cut voids frames that are there and that come later, and no frame bridges it", (t) => {
  const queue = new MotionQueue();
  for (let index = 1; index <= 10; index++) queue.add(frame(index));
  t.equal(queue.take()?.index, 1);
  queue.cut({ from: 3, until: 12 });
  for (const index of [7, 11, 12]) queue.add(frame(index));
  t.same(taken(queue), [2, 12]);
  queue.clear();
  queue.add(frame(1));
  queue.take();
  queue.cut({ from: 2, until: 4 });
  queue.add(frame(4));
  t.equal(queue.next?.index, 4, "the frames between are void, not missing");
  t.end();
});

t.test("a queue that is not read holds four seconds", (t) => {
  const queue = new MotionQueue();
  for (let index = 0; index < 90_000; index++) queue.add(frame(index));
  t.equal(queue.length, MOST_FRAMES);
  t.equal(queue.next?.index, 90_000 - MOST_FRAMES);
  for (let from = 0; from < 10_000; from++) queue.cut({ from, until: from + 1 });
  t.equal(queue.length, MOST_FRAMES);
  t.end();
});

t.test("a machine is slow if it draws less than nine of ten frames for ten seconds", (t) => {
  const told: number[] = [];
  const pace = new Pace((fps) => told.push(fps));
  const seconds = (length: number, share: number) => {
    for (let i = 0; i < 25 * length; i++) pace.count((i % 10) / 10 < share);
  };
  seconds(60, 1);
  seconds(60, 0.95);
  seconds(5, 0.4);
  seconds(10, 1);
  t.same(told, [], "a moment does not count");
  seconds(5, 0.4);
  pace.forget();
  seconds(5, 0.4);
  t.same(told, [], "what was out of sight does not count");
  seconds(5, 0.4);
  t.equal(told.length, 1);
  t.ok(told[0] > 9 && told[0] < 12, `${told[0]}`);
  t.end();
});

t.test("a face that follows packets has the streamed face's brightness within one level", async (t) => {
  const avatar = await openAvatar(await bakedFace("photograph"), runtime);
  const poses: { parameters: Float32Array; breath: number; luma: Uint8Array }[] = [];
  const luma = avatar.widthPx * avatar.heightPx;
  const engine = await createEngine({
    runtime,
    lipSyncModel,
    avatar: {
      ...avatar,
      restPose: avatar.restPose,
      gestures: avatar.gestures,
      headMotion: avatar.headMotion,
      widthPx: avatar.widthPx,
      heightPx: avatar.heightPx,
      close: () => avatar.close(),
      async render(parameters, breath = 1) {
        const image = await avatar.render(parameters, breath);
        poses.push({ parameters: parameters.slice(), breath, luma: image.data.slice(0, luma) });
        return image;
      },
    },
  });
  const [spoken] = await speakSentences(["Papa bought a map of Panama."], ["F1"]);
  const segment = engine.openSegment("one", spoken.sampleRateHz);
  segment.push(spoken.samples);
  segment.end();
  while (engine.readiness() !== "idle" || poses.length < 60) await engine.tick();
  let worst = 0;
  for (const [index, { parameters, breath, luma: expected }] of poses.entries()) {
    const packet = encodeMotionPacket({
      epoch: 1,
      sequence: index,
      sentAtMs: 40 * index,
      cuts: [],
      frames: [{ index, atMs: 40 * index, isSpeaking: true, isStarved: false, breath, parameters }],
    });
    const [received] = decodeMotionPacket(packet)!.frames;
    for (let i = 0; i < FACE_PARAMETER_COUNT; i++)
      t.ok(Math.abs(received.parameters[i] - parameters[i]) < 1e-3) || t.bailout();
    const image = await avatar.render(received.parameters, received.breath);
    for (let i = 0; i < luma; i++) worst = Math.max(worst, Math.abs(image.data[i] - expected[i]));
  }
  t.ok(poses.length > 50);
  t.ok(worst <= 1, `at most ${worst} levels apart`);
  await engine.close();
  await avatar.close();
});

function frame(index: number, value = 0): QueuedFrame {
  return {
    index,
    atMs: 40 * index,
    isSpeaking: true,
    isStarved: false,
    breath: 0,
    parameters: new Float32Array(FACE_PARAMETER_COUNT).fill(value),
    arrivedMs: 0,
  };
}

function taken(queue: MotionQueue): number[] {
  const indices: number[] = [];
  for (let one = queue.take(); one; one = queue.take()) indices.push(one.index);
  return indices;
}
