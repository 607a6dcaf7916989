import t from "tap";
import { PcmDecoder } from "../../../../src/signal/audio/pcm-decoder.ts";
import { mixDownInt16, toFloatSamples, toInt16Samples } from "../../../../src/signal/audio/samples.ts";
import { isWav, readWav, writeWav } from "../../../../src/signal/audio/wav.ts";

const SAMPLES = Int16Array.from([0, 1, -1, 1000, -1000, 32_767, -32_768, 258]);

t.test("PCM can be split anywhere, also within a sample", async (t) => {
  const bytes = new Uint8Array(SAMPLES.buffer);
  for (const chunkBytes of [1, 2, 3, 5, 16]) {
    const decoder = new PcmDecoder(1);
    const samples: number[] = [];
    for (let i = 0; i < bytes.length; i += chunkBytes) samples.push(...decoder.push(bytes.subarray(i, i + chunkBytes)));
    t.same(samples, [...SAMPLES], `${chunkBytes} bytes at a time`);
  }
});

t.test("an odd byte at the end is kept for the next chunk", async (t) => {
  const decoder = new PcmDecoder(1);
  t.same([...decoder.push(Uint8Array.of(1, 0, 2))], [1]);
  t.same([...decoder.push(Uint8Array.of(1))], [258]);
});

t.test("stereo is mixed to the mean of its channels, complete pairs only", async (t) => {
  const decoder = new PcmDecoder(2);
  const interleaved = new Uint8Array(Int16Array.from([100, 200, -32_768, -32_768, 32_767, 32_767]).buffer);
  t.same([...decoder.push(interleaved.subarray(0, 7))], [150]);
  t.same([...decoder.push(interleaved.subarray(7))], [-32_768, 32_767]);
  t.same([...mixDownInt16(Int16Array.from([3, 3, 3, 9]), 3)], [3], "a last incomplete group is ignored");
  for (const channels of [0, 33, 1.5, Number.NaN]) t.throws(() => new PcmDecoder(channels), RangeError);
});

t.test("int16 to float and back is lossless; floats out of range are clipped", async (t) => {
  t.same(toInt16Samples(toFloatSamples(SAMPLES)), SAMPLES);
  const [floats, integers] = [new Float32Array(SAMPLES.length + 1), new Int16Array(SAMPLES.length + 1)];
  const inPlace = toInt16Samples(toFloatSamples(SAMPLES, floats), integers);
  t.same([inPlace, inPlace.buffer === integers.buffer], [SAMPLES, true], "the caller's buffers are used");
  t.throws(() => toFloatSamples(SAMPLES, new Float32Array(1)), RangeError);
  t.same([...toInt16Samples(Float32Array.of(2, -2, Number.NaN))], [32_767, -32_768, 0]);
});

t.test("a written WAV is read back exactly, also from a pooled Buffer", async (t) => {
  const bytes = writeWav({ samples: SAMPLES, sampleRateHz: 22_050 });
  t.ok(isWav(bytes));
  const pooled = Buffer.from("padding").subarray(0, 0);
  t.same(readWav(Buffer.concat([pooled, bytes])), { samples: SAMPLES, sampleRateHz: 22_050 });
});

t.test("a file that is not a WAV is refused with a message", async (t) => {
  const wav = writeWav({ samples: SAMPLES, sampleRateHz: 8000 });
  for (const [name, bytes] of Object.entries({
    empty: new Uint8Array(0),
    text: new TextEncoder().encode("RIFF but then something else entirely"),
    cut: wav.subarray(0, 30),
  })) {
    t.throws(() => readWav(bytes), { code: "invalid-input" }, name);
  }
});
