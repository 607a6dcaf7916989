import t from "tap";
import { readWav, writeWav } from "../../../../src/signal/audio/wav.ts";
import { wavPieces } from "../../../../src/signal/audio/wav-pieces.ts";

const tone = Int16Array.from({ length: 500 }, (_, i) => 9000 * Math.sin(i / 7));

t.test("a file in chunks of any size is the file read at once", async (t) => {
  const file = writeWav({ samples: tone, sampleRateHz: 16_000 });
  for (const size of [1, 3, 44, 45, 1000, file.length]) {
    t.same(await read(file, size), { samples: tone, sampleRateHz: 16_000 }, `chunks of ${size} bytes`);
  }
});

t.test("every width of sample, and every number of channels", async (t) => {
  for (const [code, bits] of [
    [1, 8],
    [1, 16],
    [1, 24],
    [1, 32],
    [3, 32],
  ]) {
    for (const channels of [1, 2, 3]) {
      const file = wavFile({ code, bits, channels });
      const { samples } = await read(file, 100);
      const expected = readWav(file).samples;
      t.equal(samples.length, 200);
      const most = Math.max(...samples.map((sample, i) => Math.abs(sample - expected[i])));
      t.ok(most <= (bits === 8 ? 256 : 1), `${bits} bits, ${channels} channels: ${most} apart`);
    }
  }
  const extensible = wavFile({ code: 0xfffe, bits: 24, channels: 2, subformat: 1 });
  t.equal((await read(extensible, 100)).samples.length, 200, "the extensible format, too");
});

t.test(
  "other chunks are passed over, a stream of unknown length is read to its end, and so is one that was cut off",
  async (t) => {
    const file = wavFile({ code: 1, bits: 16, channels: 1, before: 301 });
    t.equal((await read(file, 7)).samples.length, 200);
    const endless = writeWav({ samples: tone, sampleRateHz: 8000 });
    new DataView(endless.buffer).setUint32(40, 0xffff_ffff, true);
    t.equal((await read(endless, 64)).samples.length, 500);
    t.equal((await read(file.subarray(0, file.length - 101), 64)).samples.length, 149);
  },
);

t.test("anything else is refused", async (t) => {
  const file = wavFile({ code: 1, bits: 16, channels: 1 });
  for (const bad of [new Uint8Array(0), file.subarray(0, 20), file.subarray(0, 40), new Uint8Array(100).fill(65)]) {
    await t.rejects(read(bad, 10), { code: "invalid-input" });
  }
  for (const [at, value] of [
    [20, 7],
    [22, 0],
    [22, 200],
    [34, 12],
  ]) {
    const damaged = file.slice();
    damaged[at] = value;
    await t.rejects(read(damaged, 10), { code: "invalid-input" }, `byte ${at} is ${value}`);
  }
});

async function read(file: Uint8Array, size: number) {
  const parts: number[] = [];
  let rate = 0;
  const chunks = async function* () {
    for (let at = 0; at < file.length; at += size) yield file.subarray(at, at + size);
  };
  for await (const { samples, sampleRateHz } of wavPieces(chunks())) {
    parts.push(...samples);
    rate = sampleRateHz;
  }
  return { samples: Int16Array.from(parts), sampleRateHz: rate };
}

interface FileOptions {
  code: number;
  bits: number;
  channels: number;
  subformat?: number;
  /** Bytes of another chunk before the format. */
  before?: number;
}

/** 200 samples of noise in each channel. */
function wavFile({ code, bits, channels, subformat, before }: FileOptions): Uint8Array {
  const bytesEach = bits / 8;
  const format = new Uint8Array(subformat === undefined ? 16 : 40);
  const view = new DataView(format.buffer);
  view.setUint16(0, code, true);
  view.setUint16(2, channels, true);
  view.setUint32(4, 16_000, true);
  view.setUint32(8, 16_000 * channels * bytesEach, true);
  view.setUint16(12, channels * bytesEach, true);
  view.setUint16(14, bits, true);
  if (subformat !== undefined) view.setUint16(24, subformat, true);
  const data = new Uint8Array(200 * channels * bytesEach).map((_, i) => (i * 97 + ((i * i) >> 3)) % 251);
  if (code === 3) {
    const floats = new DataView(data.buffer);
    for (let i = 0; i < 200 * channels; i++) floats.setFloat32(4 * i, Math.sin(i / 5) / 2, true);
  }
  const chunks = [
    ...(before ? [chunk("LIST", new Uint8Array(before))] : []),
    chunk("fmt ", format),
    chunk("data", data),
  ];
  const content = chunks.flatMap((bytes) => [...bytes]);
  return Uint8Array.from([...chunk("RIFF", Uint8Array.from([...new TextEncoder().encode("WAVE"), ...content]))]);
}

function chunk(name: string, content: Uint8Array): Uint8Array {
  const padded = content.length + (content.length % 2);
  const bytes = new Uint8Array(8 + padded);
  bytes.set(new TextEncoder().encode(name));
  new DataView(bytes.buffer).setUint32(4, content.length, true);
  bytes.set(content, 8);
  return bytes;
}
