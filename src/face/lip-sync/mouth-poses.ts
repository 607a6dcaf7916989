// The mouth pose of each viseme.
import { type FacePose, toParameterVector } from "../../../shared/face-parameters.ts";
import { VISEMES, type Viseme } from "../../speech/visemes/visemes.ts";

/** Parameters relative to the rest pose (closed, relaxed lips) at normal loudness. Parameters that are not listed are
 *  zero. The values were first set by eye on two portraits. The lips decide which viseme a viewer sees, the jaw how
 *  loud it looks. Consonants formed behind the teeth show the teeth: with less opening, a face tracker classified half
 *  of all continuous speech as shut lips. */
const MOUTH_POSES: Readonly<Record<Viseme, FacePose>> = Object.freeze({
  sil: {},
  PP: { rollU: 0.45, rollL: 0.45, jaw: -0.03 },
  FF: { upraise: 0.45, jaw: 0.06, rollL: 0.75, lowdep: -0.04 },
  TH: { jaw: 0.16, lowdep: 0.25, upraise: 0.15, tongue: 1 },
  DD: { jaw: 0.15, lowdep: 0.38, upraise: 0.12, wide: 0.15 },
  kk: { jaw: 0.2, lowdep: 0.36, upraise: 0.12 },
  CH: { jaw: 0.08, funnel: 0.45, lowdep: 0.3, upraise: 0.15 },
  SS: { jaw: 0.07, wide: 0.35, lowdep: 0.48, upraise: 0.25 },
  nn: { jaw: 0.16, lowdep: 0.36, upraise: 0.1, tongue: 0.6 },
  RR: { jaw: 0.16, lowdep: 0.2, upraise: 0.08, funnel: 0.35, pucker: 0.2 },
  aa: { jaw: 0.62, lowdep: 0.25, upraise: 0.12 },
  E: { jaw: 0.38, wide: 0.3, lowdep: 0.3, upraise: 0.15 },
  I: { jaw: 0.18, wide: 0.5, lowdep: 0.35, upraise: 0.2 },
  O: { jaw: 0.42, funnel: 0.5, pucker: 0.3 },
  U: { jaw: 0.17, pucker: 0.6, funnel: 0.45 },
});

/** The table as vectors (float32 [33] each) in the order of VISEMES. */
export const MOUTH_POSE_VECTORS: readonly Float32Array[] = VISEMES.map((viseme) =>
  toParameterVector(MOUTH_POSES[viseme]),
);
