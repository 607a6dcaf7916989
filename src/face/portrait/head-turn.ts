// How far a head is turned to the side, and how far it leans.
import type { FaceCandidate } from "./face-candidate.ts";
import { LEFT_EYE_CORNERS, RIGHT_EYE_CORNERS } from "./mesh-points.ts";

/** Turn of the head to either side, degrees, from the mesh's depth between the outer eye corners. Rendered heads turned
 *  by 20, 30, 40, 48 and 55° gave 18-21, 27-31, 36-40, 40-45 and 46-51: large turns are read too small. */
export function headTurnDeg(points: Float32Array): number {
  const [left, right] = [3 * LEFT_EYE_CORNERS[0], 3 * RIGHT_EYE_CORNERS[1]];
  const across = Math.hypot(points[right] - points[left], points[right + 1] - points[left + 1]);
  return (Math.atan2(Math.abs(points[right + 2] - points[left + 2]), across) * 180) / Math.PI;
}

/** How far the detector's nose lies outside the line between its eyes, as a part of that line; 0 between them. Over 0.1
 *  on heads turned by more than 45°, where the mesh often fails. */
export function noseBesideEyes({ keypoints: [leftX, leftY, rightX, rightY, noseX, noseY] }: FaceCandidate): number {
  const [dx, dy] = [rightX - leftX, rightY - leftY];
  const along = ((noseX - leftX) * dx + (noseY - leftY) * dy) / (dx * dx + dy * dy);
  return Math.max(0, -along, along - 1);
}

/** How far a head leans to the right, as one looks at the image: degrees in −180..180, by the outer eye corners. */
export function faceTiltDeg(points: Float32Array): number {
  const [left, right] = [3 * LEFT_EYE_CORNERS[0], 3 * RIGHT_EYE_CORNERS[1]];
  return (Math.atan2(points[right + 1] - points[left + 1], points[right] - points[left]) * 180) / Math.PI;
}
