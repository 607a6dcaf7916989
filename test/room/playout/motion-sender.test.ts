// What viewers that render the face are sent: every frame in several packets, ahead of its audio, and what is void.
import type { Room } from "@livekit/rtc-node";
import t from "tap";
import { createLogger } from "../../../program/log.ts";
import { MotionSender } from "../../../room/playout/motion-sender.ts";
import { decodeMotionPacket, type MotionPacket } from "../../../shared/motion-packet.ts";
import type { FacePose } from "../../../src/face/engine/engine.ts";

interface Sent {
  packet: MotionPacket;
  bytes: number;
  to: readonly string[];
}

t.test("each frame is in three packets, which go to those who render alone", (t) => {
  const { sender, sent } = open(["visitor"]);
  t.ok(sender.isNeeded);
  for (let frame = 0; frame < 50; frame++) sender.add(pose(frame), performance.now() - 20 + frame);
  const counts = new Map<number, number>();
  for (const { packet } of sent) for (const { index } of packet.frames) counts.set(index, (counts.get(index) ?? 0) + 1);
  for (let index = 0; index < 48; index++) t.equal(counts.get(index), 3, `frame ${index}`);
  t.ok(sent.every(({ to }) => to.join() === "visitor"));
  t.ok(sent.every(({ packet }, i) => packet.sequence === i && packet.epoch === sent[0].packet.epoch));
  t.ok(Math.max(...sent.map(({ bytes }) => bytes)) < 400, "small packets");
  t.equal(sent[0].packet.frames[0].parameters[1], 0.5);
  t.end();
});

t.test("frames that have time wait for a packet together", (t) => {
  const { sender, sent } = open(["visitor"]);
  for (let frame = 0; frame < 30; frame++) sender.add(pose(frame), performance.now() + 500);
  t.equal(sent.length, 10);
  t.end();
});

t.test("an interruption voids what is not shown, in several packets, and its frames are sent no more", (t) => {
  const { sender, sent } = open(["visitor"]);
  for (let frame = 0; frame < 10; frame++) sender.add(pose(frame), performance.now());
  sender.cut(6);
  t.same(sent.at(-1)?.packet.cuts, [{ from: 6, until: 10 }]);
  t.ok(sent.at(-1)?.packet.frames.every(({ index }) => index < 6));
  for (let frame = 10; frame < 30; frame++) t.equal(sender.add(pose(frame), performance.now()), frame);
  const after = sent.slice(11);
  t.ok(after.slice(0, 9).every(({ packet }) => packet.cuts.length === 1));
  t.equal(after.at(-1)?.packet.cuts.length, 0);
  const packets = sent.length;
  sender.cut(30);
  t.equal(sent.length, packets, "there is nothing to void");
  for (let cut = 0; cut < 50; cut++) sender.cut(29);
  t.ok(
    sent.every(({ packet }) => packet.cuts.length <= 4),
    "a bounded number of cuts",
  );
  t.end();
});

t.test("without a viewer that renders nothing is sent, for it would go to everyone", (t) => {
  const { sender, sent } = open([]);
  t.notOk(sender.isNeeded);
  sender.add(pose(0), performance.now());
  sender.cut(0);
  t.same(sent, []);
  t.end();
});

function open(motionIdentities: string[]): { sender: MotionSender; sent: Sent[] } {
  const sent: Sent[] = [];
  const localParticipant = {
    publishData: async (bytes: Uint8Array, { destination_identities: to }: { destination_identities: string[] }) => {
      sent.push({ packet: decodeMotionPacket(bytes)!, bytes: bytes.length, to });
    },
  };
  const room = { localParticipant } as unknown as Room;
  return {
    sender: new MotionSender({
      room,
      logger: createLogger({ level: "silent", name: "test" }),
      watch: { motionIdentities },
    }),
    sent,
  };
}

function pose(frame: number): FacePose {
  const parameters = new Float32Array(21).fill(Math.sin(frame) / 100);
  parameters[1] = 0.5;
  return { parameters, breath: 1, input: { speech: null, isStarved: false } };
}
