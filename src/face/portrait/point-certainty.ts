// How far the found points of a face can be trusted, judged by what the rig needs: mouth and lids.
import { eyeDistance } from "./eye-distance.ts";
import type { FaceCandidate } from "./face-candidate.ts";
import type { FaceLandmarks } from "./face-finder.ts";
import { headTurnDeg } from "./head-turn.ts";
import { LEFT_IRIS, RIGHT_IRIS } from "./mesh-points.ts";

/** Trust falls from the first value on and ends at the second. Measurements:
 *  `models/face/README.md`, "How far points are trusted". */
interface Limits {
  good: number;
  bad: number;
}
/** Lips that are seen reach 0.018 in photographs, covered ones start at 0.018 and have 0.026 on average. */
const MOUTH_UNSTEADINESS: Limits = { good: 0.0175, bad: 0.0275 };
/** Photographs, paintings and rendered people reach 0.066 from the front. */
const LID_MISMATCH: Limits = { good: 0.066, bad: 0.1 };
/** Turned by 30° and more, lids at the right place reach 0.035, and 0.057 and more lie visibly beside the eyes. */
const TURNED_LID_MISMATCH: Limits = { good: 0.04, bad: 0.07 };
/** Where the first begins to give way to the second, and where it has, degrees as `headTurnDeg` reads them. */
const TURN_DEG = [20, 30] as const;
/** Drawn people reach 0.013, a drawn fox with a misplaced mouth has 0.02. */
const DRAWN_MOUTH_UNSTEADINESS: Limits = { good: 0.014, bad: 0.023 };
/** Drawn people reach 0.040; large flat eyes (the mesh places their lids inside) start at 0.056. */
const DRAWN_LID_MISMATCH: Limits = { good: 0.044, bad: 0.07 };
/** The detector's points are coarse: 0.2 from right ones on good faces, over 0.3 from those of turned heads. */
const DETECTOR_DISAGREEMENT: Limits = { good: 0.25, bad: 0.5 };

/** Product of four measures, each 1 for points at the right place and 0 for useless ones. Lids that sunglasses hide are
 *  not judged: nothing is drawn there. */
export function pointCertainty(
  candidate: FaceCandidate,
  landmarks: FaceLandmarks,
  { isDrawn, areEyesHidden }: { isDrawn: boolean; areEyesHidden: boolean },
): number {
  const lids = isDrawn ? DRAWN_LID_MISMATCH : lidLimits(landmarks.points);
  return (
    landmarks.presence *
    trust(landmarks.mouthUnsteadiness, isDrawn ? DRAWN_MOUTH_UNSTEADINESS : MOUTH_UNSTEADINESS) *
    (areEyesHidden ? 1 : trust(landmarks.lidMismatch, lids)) *
    trust(detectorDisagreement(candidate, landmarks.points), DETECTOR_DISAGREEMENT)
  );
}

function lidLimits(points: Float32Array): Limits {
  const [from, to] = TURN_DEG;
  const share = Math.min(1, Math.max(0, (headTurnDeg(points) - from) / (to - from)));
  const between = (start: number, end: number) => start + share * (end - start);
  return {
    good: between(LID_MISMATCH.good, TURNED_LID_MISMATCH.good),
    bad: between(LID_MISMATCH.bad, TURNED_LID_MISMATCH.bad),
  };
}

/** 1 up to `good`, 0 from `bad` on, straight between. */
function trust(value: number, { good, bad }: Limits): number {
  return Math.min(1, Math.max(0, (bad - value) / (bad - good)));
}

/** The largest distance between the detector's eyes, nose and mouth and the mesh's, in parts of the distance between
 *  the eyes. */
function detectorDisagreement({ keypoints }: FaceCandidate, points: Float32Array): number {
  const noseTip = 1;
  const [upperLip, lowerLip] = [13, 14];
  const mouth = [0, 1].map((axis) => (points[3 * upperLip + axis] + points[3 * lowerLip + axis]) / 2);
  const mesh = [LEFT_IRIS, RIGHT_IRIS, noseTip].map((index) => [points[3 * index], points[3 * index + 1]]);
  mesh.push(mouth);
  const apart = mesh.map(([x, y], i) => Math.hypot(keypoints[2 * i] - x, keypoints[2 * i + 1] - y));
  return Math.max(...apart) / eyeDistance(points);
}
