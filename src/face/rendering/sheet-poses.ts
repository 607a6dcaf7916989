// Named poses that show what a rig can do: for contact sheets, tests and thumbnails.
import type { FacePose } from "../../../shared/face-parameters.ts";

/** Added to the rest pose; `photo` means the portrait itself, without it. */
export const SHEET_POSES: Readonly<Record<string, FacePose>> = {
  photo: {},
  rest: {},
  AA: { jaw: 0.75, lowdep: 0.2, upraise: 0.1 },
  EE: { jaw: 0.12, wide: 0.8, smile: 0.35, upraise: 0.45, lowdep: 0.7 },
  OO: { jaw: 0.17, pucker: 0.6, funnel: 0.45 },
  OH: { jaw: 0.42, funnel: 0.5, pucker: 0.3 },
  "M B P": { rollU: 0.45, rollL: 0.45, jaw: -0.03 },
  "F V": { upraise: 0.45, jaw: 0.06, rollL: 0.75, lowdep: -0.04 },
  TH: { jaw: 0.2, lowdep: 0.3, upraise: 0.15, tongue: 0.9 },
  "CH SH": { jaw: 0.12, funnel: 0.6, upraise: 0.3, lowdep: 0.4 },
  smile: { smile: 0.6, wide: 0.2 },
  blink: { blinkL: 1, blinkR: 1 },
  "half blink": { blinkL: 0.5, blinkR: 0.5 },
  "wink, gaze": { blinkL: 1, gazeX: 1 },
  "yaw right": { yaw: 1, roll: 0.4 },
  "yaw left AA": { yaw: -1, jaw: 0.6, pitch: 0.4 },
  "pitch up": { pitch: -1, gazeY: 1 },
  brow: { brow: 1, jaw: 0.3 },
};
