import t from "tap";
import { likeliestViseme } from "../../../../src/face/lip-sync/likeliest-viseme.ts";
import { VISEME_COUNT, VISEME_INDEX, type Viseme } from "../../../../src/speech/visemes/visemes.ts";

function posteriors(shares: Partial<Record<Viseme, number>>): Float32Array {
  const visemes = new Float32Array(VISEME_COUNT);
  for (const [viseme, share] of Object.entries(shares)) visemes[VISEME_INDEX[viseme as Viseme]] = share;
  return visemes;
}

t.test("visemes that look alike are added up, and the most likely one of the best group is returned", async (t) => {
  const visemes = posteriors({ aa: 0.3, DD: 0.2, nn: 0.25, kk: 0.15, sil: 0.1 });
  t.equal(likeliestViseme({ visemes, closureMean: 0 }), "nn");
  t.equal(likeliestViseme({ visemes: posteriors({ aa: 0.4, E: 0.1, DD: 0.2, nn: 0.25 }), closureMean: 0 }), "aa");
});

t.test("PP is returned exactly when the lips are shut", async (t) => {
  const visemes = posteriors({ sil: 0.55, PP: 0.45 });
  t.equal(likeliestViseme({ visemes, closureMean: 0.55 }), "PP");
  t.equal(likeliestViseme({ visemes: posteriors({ PP: 0.35, FF: 0.3, O: 0.2, U: 0.15 }), closureMean: 0.35 }), "O");
});
