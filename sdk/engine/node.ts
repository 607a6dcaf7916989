// `@open-avatar/engine` in Node: one portrait and a voice become the frames of a face that says it.
import type { Avatar, BundleSource, OpenOptions } from "./avatar.ts";
import type { BakeOptions, PortraitSource } from "./bake-options.ts";
import { openInNode } from "./node/node-avatar.ts";

export { EngineError, type EngineErrorCode, isEngineError } from "../../shared/engine-error.ts";
export type { ModelFamily } from "../../shared/models.ts";
export type { AspectRatio, CanvasSize } from "../../src/face/figure/canvas-sizes.ts";
export type { PcmAudio } from "../../src/signal/audio/wav.ts";
export type { I420Frame } from "../../src/signal/image/i420-frame.ts";
export type * from "./avatar.ts";
export type * from "./bake-options.ts";
export type * from "./speech.ts";

/** Opens an `.imx`. Throws EngineError: `file-not-found`, `upstream-unavailable`, `bundle-invalid` (with what to update
 *  or to bake again), `unavailable` without WebAssembly; and the signal's reason. */
export async function open(bundle: BundleSource, options: OpenOptions = {}): Promise<Avatar> {
  return openInNode(bundle, options);
}

/** Makes the bytes of an `.imx` from a picture of a face. Takes one to two seconds. Throws EngineError: `no-face`,
 *  `face-unsuitable` and others with a remedy, `unavailable` if an optional package is missing; and the signal's
 *  reason. */
export async function bake(portrait: PortraitSource, options: BakeOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
  const { bakeInNode } = await import("./node/bake-in-node.ts");
  return bakeInNode(portrait, options);
}
