import t from "tap";
import { FACE_PARAMETER_INDEX } from "../../../../shared/face-parameters.ts";
import { HOP_MS } from "../../../../shared/units.ts";
import type { SpeechFeatures } from "../../../../src/face/lip-sync/lip-sync-stream.ts";
import { MouthShaper } from "../../../../src/face/lip-sync/mouth-shaper.ts";
import { blendWithText, VisemeTrack } from "../../../../src/face/lip-sync/viseme-track.ts";
import { VISEME_COUNT, VISEME_INDEX, type Viseme } from "../../../../src/speech/visemes/visemes.ts";

/** A step of the jaw that can be seen: 0.07 mm. */
const MOVES = 0.004;
const JAW = FACE_PARAMETER_INDEX.jaw;

function heard(viseme: Viseme, closure = viseme === "PP" ? 1 : 0, levelDb = -20): SpeechFeatures {
  const visemes = new Float32Array(VISEME_COUNT);
  visemes[VISEME_INDEX[viseme]] = 1;
  return { visemes, closurePeak: closure, closureMean: closure, levelDb, speech: 1 };
}

function jaws(shaper: MouthShaper, frames: readonly SpeechFeatures[]): number[] {
  return frames.map((frame) => shaper.speak(frame)[JAW]);
}

t.test("a closure shuts the lips in its own video frame, at any expressiveness", async (t) => {
  for (const expressiveness of [0, 0.5, 1]) {
    const shaper = new MouthShaper(expressiveness);
    jaws(shaper, Array(10).fill(heard("aa")));
    const shut = shaper.speak(heard("PP"));
    t.ok(shut[JAW] <= 0 && shut[FACE_PARAMETER_INDEX.rollL] > 0.4 && shaper.closed > 0.99);
  }
});

t.test("an opening of a single video frame between closures stays small", async (t) => {
  const shaper = new MouthShaper();
  const steady = jaws(shaper, Array(10).fill(heard("aa"))).at(-1)!;
  const [, once] = jaws(shaper, [heard("PP"), heard("aa"), heard("PP")]);
  t.ok(once < 0.6 * steady, `${once.toFixed(2)} of ${steady.toFixed(2)}`);
  const [, , twice] = jaws(shaper, [heard("PP"), heard("aa"), heard("aa")]);
  t.ok(twice > 0.9 * steady, "the second frame of an opening is whole");
});

t.test("lips that close between rounded vowels stay narrow, between open vowels they do not", async (t) => {
  const shutAfter = (vowel: Viseme) => {
    const shaper = new MouthShaper();
    jaws(shaper, Array(5).fill(heard(vowel)));
    // What is heard of a weak closure is mostly the vowel around it.
    return shaper.speak({ ...heard(vowel), closurePeak: 1, closureMean: 1 })[FACE_PARAMETER_INDEX.pucker];
  };
  t.ok(shutAfter("U") > 0.3, `${shutAfter("U")}`);
  t.equal(shutAfter("aa"), 0);
});

t.test("a weak closure probability leaves the mouth open", async (t) => {
  const shaper = new MouthShaper();
  const steady = jaws(shaper, Array(10).fill(heard("aa"))).at(-1)!;
  const [hinted] = jaws(shaper, [heard("aa", 0.1)]);
  t.ok(hinted > 0.95 * steady, `${hinted.toFixed(2)} of ${steady.toFixed(2)}`);
});

t.test("soft speech opens less than loud speech of the same voice", async (t) => {
  const shaper = new MouthShaper();
  const loud = jaws(shaper, Array(10).fill(heard("aa", 0, -18))).at(-1)!;
  const soft = jaws(shaper, Array(10).fill(heard("aa", 0, -36))).at(-1)!;
  t.ok(soft < 0.75 * loud && soft > 0.4 * loud, `${soft.toFixed(2)} against ${loud.toFixed(2)}`);
});

t.test("fast speech makes smaller movements", async (t) => {
  const widest = (framesPerShape: number) => {
    const shaper = new MouthShaper();
    const shapes: Viseme[] = ["aa", "DD", "E", "kk"];
    const frames = Array.from({ length: 200 }, (_, k) => heard(shapes[Math.floor(k / framesPerShape) % 4]));
    return Math.max(...jaws(shaper, frames).slice(100));
  };
  t.ok(widest(1) < 0.85 * widest(4), `${widest(1).toFixed(2)} against ${widest(4).toFixed(2)}`);
});

/** Frames of a text, all of it equally loud. */
function textFrames(shapes: readonly (readonly [Viseme, number])[]): SpeechFeatures[] {
  const track = new VisemeTrack();
  let atMs = 0;
  for (const [viseme, durationMs] of shapes) {
    track.add([{ viseme, startMs: 0, endMs: durationMs }], atMs);
    atMs += durationMs;
  }
  return Array.from({ length: Math.floor(atMs / HOP_MS) }, (_, index) =>
    blendWithText(heard("sil"), track.frame(index)!),
  );
}

function steps(jaw: readonly number[]): number[] {
  return jaw.slice(1).map((value, k) => value - jaw[k]);
}

function turnsOf(jaw: readonly number[]): number {
  const moves = steps(jaw)
    .filter((step) => Math.abs(step) >= MOVES)
    .map(Math.sign);
  return moves.slice(1).filter((move, k) => move !== moves[k]).length;
}

t.test("between open vowels the lower lip reaches the teeth for F and V, wherever they fall", async (t) => {
  for (let vowelMs = 200; vowelMs < 240; vowelMs += 5) {
    const shaper = new MouthShaper();
    const frames = textFrames([
      ["aa", vowelMs],
      ["FF", 70],
      ["aa", 200],
    ]);
    const mouths = frames.map((frame) => [...shaper.speak(frame)]);
    const jaw = mouths.map((mouth) => mouth[JAW]);
    const atTeeth = mouths.filter(
      (mouth) =>
        mouth[FACE_PARAMETER_INDEX.rollL] > 0.6 && mouth[JAW] < 0.15 && mouth[FACE_PARAMETER_INDEX.rollU] < 0.1,
    );
    t.ok(atTeeth.length >= 1, `after ${vowelMs} ms: ${jaw.map((value) => value.toFixed(2)).join(" ")}`);
    t.ok(jaw.at(-1)! > 0.5, "and lets go again");
  }
});

t.test("the jaw still moves during consecutive rounded vowels, also after lively speech", async (t) => {
  // "Every day new blue shoes, too": none of the sounds from the n on opens the mouth by more than the others.
  const lively = [
    ["E", 120],
    ["FF", 80],
    ["RR", 60],
    ["I", 100],
    ["DD", 60],
    ["E", 160],
    ["nn", 80],
  ] as const;
  const rounds = [
    ["U", 160],
    ["PP", 80],
    ["nn", 60],
    ["U", 160],
    ["CH", 120],
    ["U", 160],
    ["SS", 120],
  ] as const;
  for (const expressiveness of [0, 0.5, 1]) {
    const size = 0.5 + expressiveness;
    const shaper = new MouthShaper(expressiveness);
    jaws(shaper, textFrames(lively));
    const jaw = jaws(shaper, textFrames([...rounds, ["DD", 80], ["U", 200]]));
    let [still, longest] = [0, 0];
    for (const step of steps(jaw)) {
      still = Math.abs(step) < MOVES * size ? still + 1 : 0;
      longest = Math.max(longest, still);
    }
    t.ok(longest <= 4, `still for ${longest * HOP_MS} ms at ${expressiveness}`);
    const shoes = jaw.slice(Math.floor(300 / HOP_MS), Math.floor(860 / HOP_MS));
    const range = Math.max(...shoes) - Math.min(...shoes);
    t.ok(turnsOf(shoes) >= 2 && range >= 0.08 * size, shoes.map((value) => value.toFixed(2)).join(" "));
  }
});

t.test("the jaw changes direction at most eight times per second, even for trembling input", async (t) => {
  for (const frames of [1, 2]) {
    const shaper = new MouthShaper();
    const shapes: Viseme[] = ["DD", "U", "SS", "I", "nn", "CH"];
    const jaw = jaws(
      shaper,
      Array.from({ length: 250 }, (_, k) => heard(shapes[Math.floor(k / frames) % shapes.length])),
    );
    const turns = turnsOf(jaw);
    t.ok(turns > 10 && turns <= 80, `${turns} turns in 10 s`);
  }
});

t.test("closed reports shut lips at rest and in silence, and open lips in a vowel", async (t) => {
  const shaper = new MouthShaper();
  shaper.speak(heard("sil"));
  t.equal(shaper.closed, 1);
  jaws(shaper, Array(3).fill(heard("aa")));
  t.ok(shaper.closed < 0.05);
  for (let k = 0; k < 4; k++) shaper.rest();
  t.equal(shaper.closed, 1);
});
