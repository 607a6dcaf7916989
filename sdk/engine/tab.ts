// `@open-avatar/engine` in a browser tab: the same as in Node, and a face that lives on a canvas and speaks aloud.
import type { Avatar, BundleSource, OpenOptions } from "./avatar.ts";
import type { BakeOptions, PortraitSource } from "./bake-options.ts";
import { openInTab } from "./tab/tab-avatar.ts";

export { EngineError, isEngineError } from "../../shared/engine-error.ts";

/** As in Node. Starts a worker, which loads all that rendering needs. */
export async function open(bundle: BundleSource, options: OpenOptions = {}): Promise<Avatar> {
  return openInTab(bundle, options);
}

/** As in Node, with the browser's own codecs. Needs the package onnxruntime-web. */
export async function bake(portrait: PortraitSource, options: BakeOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
  const { bakeInTab } = await import("./tab/bake-in-tab.ts");
  return bakeInTab(portrait, options);
}
