// What viewers that render the face are sent: every frame in two packets ahead of its audio, and what is void.
import type { Room } from "@livekit/rtc-node";
import t from "tap";
import { createLogger } from "../../../program/log.ts";
import { MotionSender, type ToldFrame } from "../../../room/playout/motion-sender.ts";
import { EARLIER_PARAMETER_COUNT, FACE_PARAMETER_COUNT } from "../../../shared/face-parameters.ts";
import { decodeMotionPacket, type MotionFrame, type MotionPacket } from "../../../shared/motion-packet.ts";
import type { Engine, FrameInput } from "../../../src/face/engine/engine.ts";
import { HOP, RATE_HZ, ramp, withEngine } from "../../helpers/faces/with-engine.ts";
import { waitFor } from "../../helpers/wait-for.ts";

interface Sent {
  packet: MotionPacket;
  atMs: number;
  bytes: number;
  to: readonly string[];
}

interface Sending {
  engine: Engine;
  sender: MotionSender;
  sent: Sent[];
  /** Who renders. */
  viewers: string[];
}

const SILENCE: FrameInput = { speech: null, isStarved: false };

t.test("silence is sent a second ahead, in two packets a second, each frame twice", async (t) => {
  await withSender(async ({ sender, sent }) => {
    const beganMs = performance.now();
    for (let step = 0; step < 30; step++) {
      const atMs = beganMs + 40 * step;
      await until(atMs);
      sender.add(SILENCE, atMs - 20);
    }
    t.ok(sent.length >= 3 && sent.length <= 6, `${sent.length} packets in 1.2 s`);
    for (let index = 5; index < 25; index++) t.equal(timesSent(sent, index), 2, `frame ${index}`);
    const frames = framesOf(sent);
    for (const [index, { atMs }] of frames) {
      t.ok(Math.abs(atMs - (beganMs - 20 + 40 * index)) <= 1, "at its time");
      if (index > 4) t.ok(firstSentMs(sent, index) < atMs, "before its time");
    }
    t.ok(sent.every(({ packet }, i) => packet.sequence === i && packet.epoch === sent[0].packet.epoch));
    t.ok(Math.max(...sent.map(({ bytes }) => bytes)) < 1_000, "within a network packet");
  });
});

t.test("tabs move a face that shows an expression as the service does, within 1e-3", async (t) => {
  await withSender(async ({ engine, sender, sent }) => {
    engine.express("request", { emotion: "afraid", intensity: 1 });
    const beganMs = performance.now();
    const told: MotionFrame[] = [];
    for (let step = 0; step < 20; step++) {
      await until(beganMs + 40 * step);
      told.push(sender.add(SILENCE, beganMs + 40 * step).frame);
    }
    const frames = framesOf(sent);
    for (const { index, parameters } of told) {
      const received = frames.get(index)?.parameters ?? [];
      t.equal(received.length, FACE_PARAMETER_COUNT);
      t.ok(parameters.every((value, k) => Math.abs(received[k] - value) <= 1e-3));
    }
    // Those that the first rigs did not have.
    const newest = told[19].parameters.subarray(EARLIER_PARAMETER_COUNT);
    t.ok(
      newest.some((value) => Math.abs(value) > 0.1),
      "it is shown by then",
    );
  });
});

t.test("frames of speech share packets, as long as there is time", async (t) => {
  await withSender(async ({ engine, sender, sent }) => {
    engine.openSegment("a", RATE_HZ).push(ramp(HOP * 100));
    const speech = await speechInput(engine);
    const beganMs = performance.now();
    for (let step = 0; step < 30; step++) {
      await until(beganMs + 40 * step);
      const { frame } = sender.add(speech, beganMs + 40 * step + 280);
      t.ok(frame.isSpeaking);
    }
    await waitFor(() => framesOf(sent).size === 30, "all frames are sent");
    t.ok(sent.length <= 8, `30 frames in ${sent.length} packets`);
    const late = [...framesOf(sent)].filter(([index, { atMs }]) => firstSentMs(sent, index) > atMs - 20);
    t.ok(late.length <= 6, `${late.length} of 30 frames are late on a busy machine`);
  });
});

t.test("frames that are known late are sent soon, but not each alone", async (t) => {
  await withSender(async ({ engine, sender, sent }) => {
    engine.openSegment("a", RATE_HZ).push(ramp(HOP * 100));
    const speech = await speechInput(engine);
    const beganMs = performance.now();
    for (let step = 0; step < 20; step++) {
      await until(beganMs + 40 * step);
      sender.add(speech, beganMs + 40 * step - 40);
    }
    await waitFor(() => framesOf(sent).size === 20, "all frames are sent");
    t.ok(sent.length <= 15, `${sent.length} packets`);
  });
});

t.test("speech takes the place of the silence that was expected", async (t) => {
  await withSender(async ({ engine, sender, sent }) => {
    const nowMs = performance.now();
    const first = sender.add(SILENCE, nowMs);
    await waitFor(() => sent.length === 2, "silence is sent twice");
    engine.openSegment("a", RATE_HZ).push(ramp(HOP * 100));
    const speech = await speechInput(engine);
    const told = sender.add(speech, nowMs + 2_000);
    t.equal(told.frame.index, first.frame.index + 26, "after a second of silence");
    t.equal(engine.stats().ticks, 2, "which took no time of the face");
    await waitFor(() => sent.length === 4, "the cut is sent at once, and once more");
    for (const { packet } of sent.slice(2)) {
      t.same(packet.cuts, [{ from: 1, until: 26 }]);
      t.same([packet.frames.at(-1)?.index, packet.frames.at(-1)?.isSpeaking], [26, true]);
    }
  });
});

t.test("an interruption voids what is not shown, and what was never sent is not mentioned", async (t) => {
  await withSender(async ({ engine, sender, sent }) => {
    engine.openSegment("a", RATE_HZ).push(ramp(HOP * 100));
    const speech = await speechInput(engine);
    const told: ToldFrame[] = [];
    const add = (): unknown => told.push(sender.add(speech, performance.now() + 300));
    for (let n = 0; n < 12; n++) add();
    await waitFor(() => sent.length === 2, "twelve frames are sent twice");
    engine.clear();
    sender.cut(told[6]);
    t.equal(engine.stats().ticks, 6);
    await waitFor(() => sent.length === 3, "the cut is sent");
    t.same(sent[2].packet.cuts, [{ from: 6, until: 12 }]);
    t.same(sent[2].packet.frames, []);
    add();
    sender.cut(told[12]);
    await waitFor(() => sent.length === 4, "the cut is repeated");
    t.same(sent[3].packet.cuts, [{ from: 6, until: 12 }], "viewers do not know of frame 12");
    for (let cut = 0; cut < 50; cut++) {
      for (let n = 0; n < 12; n++) add();
      sender.cut(told.at(-12));
    }
    sender.cut();
    t.ok(sent.every(({ packet }) => packet.cuts.length <= 6));
  });
});

t.test("a gesture begins in the frames that were told already", async (t) => {
  await withSender(async ({ engine, sender }) => {
    const nowMs = performance.now();
    sender.add(SILENCE, nowMs);
    const still = sender.add(SILENCE, nowMs + 40);
    engine.trigger("wave");
    t.ok(sender.isStale);
    const { frame } = sender.add(SILENCE, nowMs + 80);
    t.notOk(sender.isStale);
    t.ok(frame.index > 26, "a new frame");
    t.ok(frame.parameters[1] > still.frame.parameters[1] + 0.3, "with the gesture");
  });
});

t.test("a participant that comes later gets what is still to be shown at once", async (t) => {
  await withSender(async ({ sender, sent, viewers }) => {
    const nowMs = performance.now();
    sender.add(SILENCE, nowMs);
    await waitFor(() => sent.length === 2, "the first one knows");
    viewers.push("second");
    sender.add(SILENCE, nowMs + 40);
    await waitFor(() => sent.length === 3, "both know");
    t.same(sent[2].to, ["visitor", "second"]);
    t.ok(sent[2].packet.frames.length > 20);
  });
});

t.test("without a viewer that renders nothing is sent, for it would go to everyone", async (t) => {
  await withSender(async ({ sender, sent, viewers }) => {
    viewers.pop();
    t.notOk(sender.isNeeded);
    sender.add(SILENCE, performance.now());
    sender.cut();
    await until(performance.now() + 100);
    t.same(sent, []);
  });
});

async function withSender(use: (sending: Sending) => Promise<void>): Promise<void> {
  const sent: Sent[] = [];
  const viewers = ["visitor"];
  const localParticipant = {
    publishData: async (bytes: Uint8Array, { destination_identities: to }: { destination_identities: string[] }) => {
      sent.push({ packet: decodeMotionPacket(bytes)!, atMs: performance.now(), bytes: bytes.length, to });
    },
  };
  await withEngine({}, async (engine) => {
    const sender = new MotionSender({
      room: { localParticipant } as unknown as Room,
      logger: createLogger({ level: "silent", name: "test" }),
      watch: {
        get motionIdentities() {
          return [...viewers];
        },
      },
      engine,
    });
    await use({ engine, sender, sent, viewers });
    sender.close();
  });
}

async function speechInput(engine: Engine): Promise<FrameInput> {
  for (;;) {
    const { frameInput } = await engine.nextAudio();
    if (frameInput.speech) return frameInput;
  }
}

function framesOf(sent: readonly Sent[]): Map<number, MotionFrame> {
  return new Map(sent.flatMap(({ packet }) => packet.frames.map((frame) => [frame.index, frame] as const)));
}

function timesSent(sent: readonly Sent[], index: number): number {
  return sent.filter(({ packet }) => packet.frames.some((frame) => frame.index === index)).length;
}

function firstSentMs(sent: readonly Sent[], index: number): number {
  return sent.find(({ packet }) => packet.frames.some((frame) => frame.index === index))?.atMs ?? Infinity;
}

function until(atMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, atMs - performance.now())));
}
