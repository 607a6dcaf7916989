// The bytes of motion packets: they keep what a face does, between versions too, and hostile ones do no harm.
import t from "tap";
import { FACE_PARAMETER_COUNT } from "../../shared/face-parameters.ts";
import {
  decodeMotionPacket,
  encodeMotionPacket,
  MAX_MOTION_FRAMES,
  MAX_MOTION_PACKET_BYTES,
  type MotionFrame,
  type MotionPacket,
} from "../../shared/motion-packet.ts";

/** Values that differ from frame to frame, within ±2. */
function frameOf(index: number, width: number, atMs = 1_000 + 40 * index): MotionFrame {
  const parameters = Float32Array.from({ length: width }, (_, k) => 2 * Math.sin(index * 0.7 + k));
  return { index, atMs, isSpeaking: index % 2 === 0, isStarved: index % 3 === 0, breath: Math.cos(index), parameters };
}

function packetOf(frames: MotionFrame[], rest: Partial<MotionPacket> = {}): MotionPacket {
  return { epoch: 0xfedc_ba98, sequence: 7, sentAtMs: 1_234, cuts: [], ...rest, frames };
}

/** Numbers from 0 to below 1 that are the same in every run. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

t.test("a packet comes back as it was, its values within 1/8192", async (t) => {
  const frames = [3, 4, 5, 9, 10].map((index) => frameOf(index, FACE_PARAMETER_COUNT));
  const packet = packetOf(frames, {
    cuts: [
      { from: 0, until: 3 },
      { from: 6, until: 9 },
    ],
  });
  const decoded = decodeMotionPacket(encodeMotionPacket(packet));
  t.same({ ...decoded, frames: [] }, { ...packet, frames: [] });
  t.equal(decoded?.frames.length, frames.length);
  for (const [i, frame] of frames.entries()) {
    const { parameters, breath, ...rest } = decoded!.frames[i];
    const { parameters: sent, breath: sentBreath, ...expected } = frame;
    t.same(rest, expected);
    t.ok(Math.abs(breath - sentBreath) <= 1 / 8192);
    t.ok(parameters.every((value, k) => Math.abs(value - sent[k]) <= 1 / 8192 + 1e-7));
  }
});

t.test("the largest numbers and times out of step come back", async (t) => {
  const highest = 0xffff_ffff;
  const frames = [
    frameOf(1, 21, highest - 50_000),
    frameOf(highest - 1, 21, highest),
    frameOf(highest, 21, highest - 30),
  ];
  const packet = packetOf(frames, { epoch: highest, sequence: highest, sentAtMs: highest });
  const decoded = decodeMotionPacket(encodeMotionPacket(packet));
  t.match(decoded, { epoch: highest, sequence: highest, sentAtMs: highest });
  const times = decoded?.frames.map(({ index, atMs }) => [index, atMs]);
  t.same(
    times,
    frames.map(({ index, atMs }) => [index, atMs]),
  );
});

t.test("values beyond the range are limited, and values that are not finite count as 0", async (t) => {
  const frame = { ...frameOf(0, FACE_PARAMETER_COUNT), breath: Number.NaN };
  frame.parameters.set([100, -100, Number.POSITIVE_INFINITY]);
  const decoded = decodeMotionPacket(encodeMotionPacket(packetOf([frame])))!.frames[0];
  t.equal(decoded.breath, 0);
  t.same([...decoded.parameters.subarray(0, 3)].map(Math.round), [8, -8, 0]);
});

t.test("a tab leaves out the parameters that it does not know, and fills those that are missing with 0", async (t) => {
  for (const width of [1, 5, FACE_PARAMETER_COUNT + 1, 64]) {
    const frames = [frameOf(0, width), frameOf(1, width)];
    const decoded = decodeMotionPacket(encodeMotionPacket(packetOf(frames)));
    for (const [i, { parameters }] of decoded!.frames.entries()) {
      t.equal(parameters.length, FACE_PARAMETER_COUNT);
      const expected = (k: number) => (k < width ? frames[i].parameters[k] : 0);
      t.ok(
        parameters.every((value, k) => Math.abs(value - expected(k)) < 1e-3),
        `${width} parameters`,
      );
    }
  }
});

t.test("bytes after the last frame are ignored, a higher version is not read", async (t) => {
  const bytes = encodeMotionPacket(packetOf([frameOf(0, 21)]));
  t.same(decodeMotionPacket(new Uint8Array([...bytes, 1, 2, 3])), decodeMotionPacket(bytes));
  t.equal(decodeMotionPacket(new Uint8Array([2, ...bytes.subarray(1)])), undefined);
});

t.test("a packet that was cut short is not read, wherever it was cut", async (t) => {
  const bytes = encodeMotionPacket(packetOf([frameOf(0, 21), frameOf(1, 21)], { cuts: [{ from: 1, until: 2 }] }));
  for (let length = 0; length < bytes.length; length++) {
    t.equal(decodeMotionPacket(bytes.subarray(0, length)), undefined, `${length} of ${bytes.length} bytes`);
  }
});

t.test("random bytes, and packets with wrong bytes, are refused or are within bounds", async (t) => {
  const random = dice(32);
  const whole = encodeMotionPacket(
    packetOf(
      [0, 1, 2].map((index) => frameOf(index, 21)),
      { cuts: [{ from: 0, until: 1 }] },
    ),
  );
  let read = 0;
  for (let round = 0; round < 20_000; round++) {
    const bytes = round % 2 ? whole.slice() : new Uint8Array(Math.floor(random() * 300)).map(() => random() * 256);
    if (round % 2) for (let n = 0; n < 3; n++) bytes[Math.floor(random() * bytes.length)] = random() * 256;
    else if (bytes.length > 1) bytes.set([1, 1 + (bytes[1] % 64)]);
    const decoded = decodeMotionPacket(bytes);
    if (!decoded) continue;
    read += 1;
    const values = decoded.frames.flatMap(({ breath, parameters }) => [breath, ...parameters]);
    const numbers = decoded.frames.flatMap(({ index, atMs }) => [index, atMs]);
    if (decoded.frames.length > MAX_MOTION_FRAMES) t.fail("too many frames");
    if (!values.every((value) => Math.abs(value) <= 8)) t.fail("a value out of range");
    if (!numbers.every(Number.isSafeInteger)) t.fail("a number that is not whole");
    if (!decoded.cuts.every(({ from, until }) => until > from && until < 2 ** 32)) t.fail("a cut out of range");
  }
  t.ok(read > 1_000, `${read} were packets`);
  t.equal(decodeMotionPacket(new Uint8Array(MAX_MOTION_PACKET_BYTES + 1).fill(1)), undefined);
});

t.test("what does not fit the format is refused when it is written", async (t) => {
  const write = (frames: MotionFrame[], rest?: Partial<MotionPacket>) => () =>
    encodeMotionPacket(packetOf(frames, rest));
  t.throws(write([frameOf(0, 0)]), RangeError);
  t.throws(write([frameOf(0, 65)]), RangeError);
  t.throws(write([frameOf(0, 21), frameOf(1, 20)]), RangeError);
  t.throws(write([frameOf(2, 21), frameOf(1, 21)]), RangeError);
  t.throws(write([frameOf(0, 21, 0.5)]), RangeError);
  t.throws(write([frameOf(0, 21, 100_000)]), RangeError);
  t.throws(write(Array.from({ length: MAX_MOTION_FRAMES + 1 }, (_, index) => frameOf(index, 21))), RangeError);
  t.throws(write([], { cuts: Array.from({ length: 9 }, (_, from) => ({ from, until: from + 1 })) }), RangeError);
  t.throws(write([], { cuts: [{ from: 5, until: 4 }] }), RangeError);
  t.throws(write([], { epoch: -1 }), RangeError);
});
