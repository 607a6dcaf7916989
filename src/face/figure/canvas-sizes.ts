// Canvas sizes of avatars.

export const ASPECT_RATIOS = ["1:1", "16:9", "9:16"] as const;
export type AspectRatio = (typeof ASPECT_RATIOS)[number];

/** Side lengths in px. */
export interface CanvasSize {
  widthPx: number;
  heightPx: number;
}

/** Exact ratios, and multiples of 8 for the video encoder; a face is equally large in all. */
export const CANVAS_SIZES: Readonly<Record<AspectRatio, CanvasSize>> = Object.freeze({
  "1:1": { widthPx: 512, heightPx: 512 },
  "16:9": { widthPx: 896, heightPx: 504 },
  "9:16": { widthPx: 504, heightPx: 896 },
});

/** The same ratios with 720 lines: more of the surroundings, at the same size of face. */
export const HD_CANVAS_SIZES: Readonly<Record<AspectRatio, CanvasSize>> = Object.freeze({
  "1:1": { widthPx: 720, heightPx: 720 },
  "16:9": { widthPx: 1280, heightPx: 720 },
  "9:16": { widthPx: 720, heightPx: 1280 },
});
