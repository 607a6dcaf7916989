// Detected faces, and merging of detections of the same face.

/** An upright box in image pixels. */
export interface FaceBox {
  centreX: number;
  centreY: number;
  widthPx: number;
  heightPx: number;
}

export interface FaceCandidate {
  /** The detector's probability that this is a face, 0..1. */
  score: number;
  /** From brows to chin. */
  box: FaceBox;
  /** x, y pairs in px: left eye, right eye, nose tip, mouth, left ear, right ear, as seen in the image. */
  keypoints: Float32Array;
}

/** Detections that share more than this part of their joint area are one face. */
const SAME_FACE_OVERLAP = 0.3;
/** As is one that lies inside a better one by more than this part of itself. */
const SAME_FACE_INSIDE = 0.6;

/** Area of a box in px². */
export function boxArea(box: FaceBox): number {
  return box.widthPx * box.heightPx;
}

/** Non-maximum suppression of one view: each face becomes the mean of its detections, weighted by score. Best first. */
export function mergeWeighted(candidates: readonly FaceCandidate[]): FaceCandidate[] {
  let rest = byScore(candidates);
  const merged: FaceCandidate[] = [];
  while (rest.length > 0) {
    const best = rest[0];
    const group = rest.filter((other) => other === best || jointOverlap(best.box, other.box) > SAME_FACE_OVERLAP);
    rest = rest.filter((other) => !group.includes(other));
    merged.push(weightedMean(best.score, group));
  }
  return merged;
}

/** Non-maximum suppression across views: the best detection of each face stays as it is. Best first. */
export function keepBest(candidates: readonly FaceCandidate[]): FaceCandidate[] {
  const kept: FaceCandidate[] = [];
  for (const candidate of byScore(candidates)) {
    if (!kept.some((better) => isSameFace(better.box, candidate.box))) kept.push(candidate);
  }
  return kept;
}

function byScore(candidates: readonly FaceCandidate[]): FaceCandidate[] {
  return [...candidates].sort((first, second) => second.score - first.score);
}

function isSameFace(better: FaceBox, other: FaceBox): boolean {
  const shared = sharedArea(better, other);
  const smaller = Math.min(boxArea(better), boxArea(other));
  return jointOverlap(better, other) > SAME_FACE_OVERLAP || shared > SAME_FACE_INSIDE * smaller;
}

function jointOverlap(first: FaceBox, second: FaceBox): number {
  const shared = sharedArea(first, second);
  return shared / (boxArea(first) + boxArea(second) - shared);
}

function sharedArea(first: FaceBox, second: FaceBox): number {
  const along = (firstCentre: number, firstSize: number, secondCentre: number, secondSize: number): number =>
    Math.max(
      0,
      Math.min(firstCentre + firstSize / 2, secondCentre + secondSize / 2) -
        Math.max(firstCentre - firstSize / 2, secondCentre - secondSize / 2),
    );
  return (
    along(first.centreX, first.widthPx, second.centreX, second.widthPx) *
    along(first.centreY, first.heightPx, second.centreY, second.heightPx)
  );
}

function weightedMean(score: number, group: readonly FaceCandidate[]): FaceCandidate {
  const total = group.reduce((sum, candidate) => sum + candidate.score, 0);
  const mean = (pick: (candidate: FaceCandidate) => number): number =>
    group.reduce((sum, candidate) => sum + candidate.score * pick(candidate), 0) / total;
  return {
    score,
    box: {
      centreX: mean(({ box }) => box.centreX),
      centreY: mean(({ box }) => box.centreY),
      widthPx: mean(({ box }) => box.widthPx),
      heightPx: mean(({ box }) => box.heightPx),
    },
    keypoints: group[0].keypoints.map((_, i) => mean(({ keypoints }) => keypoints[i])),
  };
}
