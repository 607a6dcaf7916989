import t from "tap";
import { FACE_PARAMETER_INDEX } from "../../../shared/face-parameters.ts";
import type { HeardSpeech } from "../../../src/hearing/hearing-stream.ts";
import { MouthShaper } from "../../../src/hearing/mouth-shaper.ts";
import { VISEME_COUNT, VISEME_INDEX, type Viseme } from "../../../src/hearing/visemes.ts";

const JAW = FACE_PARAMETER_INDEX.jaw;

function heard(viseme: Viseme, closure = viseme === "PP" ? 1 : 0, levelDb = -20): HeardSpeech {
  const visemes = new Float32Array(VISEME_COUNT);
  visemes[VISEME_INDEX[viseme]] = 1;
  return { visemes, closure, shut: closure, levelDb, speech: 1 };
}

function jaws(shaper: MouthShaper, pictures: readonly HeardSpeech[]): number[] {
  return pictures.map((picture) => shaper.speak(picture)[JAW]);
}

t.test("a closure shuts the lips in its very picture, at any expressiveness", async (t) => {
  for (const expressiveness of [0, 0.5, 1]) {
    const shaper = new MouthShaper(expressiveness);
    jaws(shaper, Array(10).fill(heard("aa")));
    const shut = shaper.speak(heard("PP"));
    t.ok(shut[JAW] <= 0 && shut[FACE_PARAMETER_INDEX.rollL] > 0.4 && shaper.closed > 0.99);
  }
});

t.test("an opening of a single picture between closures stays small", async (t) => {
  const shaper = new MouthShaper();
  const steady = jaws(shaper, Array(10).fill(heard("aa"))).at(-1)!;
  const [, once] = jaws(shaper, [heard("PP"), heard("aa"), heard("PP")]);
  t.ok(once < 0.6 * steady, `${once.toFixed(2)} of ${steady.toFixed(2)}`);
  const [, , twice] = jaws(shaper, [heard("PP"), heard("aa"), heard("aa")]);
  t.ok(twice > 0.9 * steady, "the second picture of an opening is whole");
});

t.test("soft speech opens less than loud speech of the same voice", async (t) => {
  const shaper = new MouthShaper();
  const loud = jaws(shaper, Array(10).fill(heard("aa", 0, -18))).at(-1)!;
  const soft = jaws(shaper, Array(10).fill(heard("aa", 0, -36))).at(-1)!;
  t.ok(soft < 0.75 * loud && soft > 0.4 * loud, `${soft.toFixed(2)} against ${loud.toFixed(2)}`);
});

t.test("fast speech makes smaller movements", async (t) => {
  const widest = (picturesPerShape: number) => {
    const shaper = new MouthShaper();
    const shapes: Viseme[] = ["aa", "DD", "E", "kk"];
    const pictures = Array.from({ length: 200 }, (_, k) => heard(shapes[Math.floor(k / picturesPerShape) % 4]));
    return Math.max(...jaws(shaper, pictures).slice(100));
  };
  t.ok(widest(1) < 0.85 * widest(4), `${widest(1).toFixed(2)} against ${widest(4).toFixed(2)}`);
});

t.test("closed says shut at rest and in silence, and open in a vowel", async (t) => {
  const shaper = new MouthShaper();
  shaper.speak(heard("sil"));
  t.equal(shaper.closed, 1);
  jaws(shaper, Array(3).fill(heard("aa")));
  t.ok(shaper.closed < 0.05);
  for (let k = 0; k < 4; k++) shaper.rest();
  t.equal(shaper.closed, 1);
});
