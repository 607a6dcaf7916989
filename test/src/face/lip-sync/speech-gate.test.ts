import t from "tap";
import { LIP_SYNC_HOP_SAMPLES } from "../../../../shared/units.ts";
import { SpeechGate } from "../../../../src/face/lip-sync/speech-gate.ts";
import { LOOK_AHEAD_HOPS } from "../../../../src/face/lip-sync/viseme-decoder.ts";

/** Something that changes as speech does: a buzz with a pitch and loudness that never stand still. */
function voiced(hop: number): Float32Array {
  const gain = 0.1 * (1 + 0.7 * Math.sin(hop * 2.1));
  const hz = 140 + 50 * Math.sin(hop * 1.3);
  return Float32Array.from({ length: LIP_SYNC_HOP_SAMPLES }, (_, k) => {
    const phase = ((hop * LIP_SYNC_HOP_SAMPLES + k) * hz) / 16_000;
    return gain * (2 * (phase % 1) - 1);
  });
}

/** Shares of speech of `count` hops, of which some are silent but for a breath at −75 dB. */
function shares(count: number, isSilent: (hop: number) => boolean): number[] {
  const gate = new SpeechGate();
  const found: number[] = [];
  for (let hop = 0; hop < count + LOOK_AHEAD_HOPS; hop++) {
    gate.push(isSilent(hop) ? voiced(hop).map((sample) => sample * 0.0015) : voiced(hop));
    if (hop >= LOOK_AHEAD_HOPS) found.push(gate.at(LOOK_AHEAD_HOPS).speech);
  }
  return found;
}

t.test("the silence of a stop consonant counts as speech", async (t) => {
  const heard = shares(40, (hop) => hop === 20 || hop === 21 || hop === 30);
  t.ok(Math.min(...heard.slice(10)) > 0.9, `at least ${Math.min(...heard.slice(10)).toFixed(2)}`);
});

t.test("a pause does not count as speech from two video frames after its start", async (t) => {
  const heard = shares(40, (hop) => hop >= 20 && hop < 32);
  t.ok(heard[19] > 0.9, "spoken before");
  t.same(heard.slice(22, 30), new Array(8).fill(0));
  t.ok(heard[32] > 0.5, `open again at ${heard[32].toFixed(2)}`);
});
