// Levels of a band of frequencies over time, by a window of 15 ms.

const WINDOW_MS = 15;

/** One level a millisecond, dB; its window is around it. */
export function bandLevels(samples: Int16Array, sampleRateHz: number, fromHz: number, toHz: number): number[] {
  const size = Math.round((WINDOW_MS * sampleRateHz) / 1000);
  const from = Math.round((fromHz * size) / sampleRateHz);
  const to = Math.round((toHz * size) / sampleRateHz);
  const waves = Array.from({ length: to - from + 1 }, (_, band) => wavesOf(size, from + band));
  const levels: number[] = [];
  for (let ms = 0; (ms * sampleRateHz) / 1000 < samples.length; ms++) {
    const begin = Math.round((ms * sampleRateHz) / 1000 - size / 2);
    let power = 0;
    for (const { cosine, sine } of waves) {
      let [real, imaginary] = [0, 0];
      for (let i = 0; i < size; i++) {
        const sample = samples[begin + i] ?? 0;
        real += sample * cosine[i];
        imaginary += sample * sine[i];
      }
      power += real * real + imaginary * imaginary;
    }
    levels.push(10 * Math.log10(power + 1));
  }
  return levels;
}

function wavesOf(size: number, band: number): { cosine: Float64Array; sine: Float64Array } {
  const [cosine, sine] = [new Float64Array(size), new Float64Array(size)];
  for (let i = 0; i < size; i++) {
    const window = 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / size);
    cosine[i] = window * Math.cos((2 * Math.PI * band * i) / size);
    sine[i] = window * Math.sin((2 * Math.PI * band * i) / size);
  }
  return { cosine, sine };
}
