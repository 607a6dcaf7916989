import type { ModelFamily } from "../../shared/models.ts";
import type { AspectRatio, CanvasSize } from "../../src/face/figure/canvas-sizes.ts";

/** A picture: its path (Node), its address, or its bytes. */
export type PortraitSource = string | URL | Uint8Array | ArrayBuffer | Blob;

export interface BakeOptions {
  /** Default `essence-2`. */
  family?: ModelFamily;
  /** A ratio, or a size in px, even. Default `1:1`, 512 × 512. */
  canvas?: AspectRatio | CanvasSize;
  /** Called with 0..1. */
  onProgress?: (share: number) => void;
  /** Gets a sentence for each thing that the avatar lacks. */
  onNote?: (sentence: string) => void;
  /** Ends the bake with its reason. */
  signal?: AbortSignal;
  /** As in `OpenOptions`. */
  assets?: string | URL;
}
