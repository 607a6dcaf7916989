import t from "tap";
import { measureVoicePitch } from "../../../../../src/speech/voice/measuring/voice-pitch.ts";

t.setTimeout(120_000);

/** A buzz with the overtones of a voice and a little noise, its pitch swaying by a tenth. */
function buzz(pitchHz: number, rateHz: number, seconds: number): Int16Array {
  let phase = 0;
  let seed = 1;
  return Int16Array.from({ length: rateHz * seconds }, (_, i) => {
    phase += (2 * Math.PI * pitchHz * (1 + 0.05 * Math.sin((2 * Math.PI * 3 * i) / rateHz))) / rateHz;
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    const voice = [1, 0.8, 0.9, 0.4, 0.3].reduce((sum, level, k) => sum + level * Math.sin((k + 1) * phase), 0);
    return 3000 * voice + 400 * (seed / 2 ** 31 - 0.5);
  });
}

t.test(
  "the pitch of a buzz is detected at every rate without octave errors; silence and noise have no pitch",
  async (t) => {
    for (const rateHz of [8000, 16_000, 44_100, 48_000]) {
      for (const pitchHz of [70, 110, 160, 220, 330]) {
        const found = measureVoicePitch(buzz(pitchHz, rateHz, 1), rateHz);
        t.ok(found && Math.abs(found.medianHz / pitchHz - 1) < 0.03, `${pitchHz} Hz at ${rateHz}: ${found?.medianHz}`);
      }
    }
    t.equal(measureVoicePitch(new Int16Array(48_000), 16_000), null);
    t.equal(measureVoicePitch(new Int16Array(0), 16_000), null);
    let seed = 7;
    const noise = Int16Array.from({ length: 16_000 }, () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return 20_000 * (seed / 2 ** 31 - 0.5);
    });
    t.equal(measureVoicePitch(noise, 16_000), null);
  },
);
