// From a picture to an `.imx` in a tab.
import { EngineError, type EngineErrorCode } from "../../../shared/engine-error.ts";
import { CANVAS_SIZES } from "../../../src/face/figure/canvas-sizes.ts";
import type { FaceFlawKind } from "../../../src/face/portrait/face-flaw.ts";
import { describeBakeNote } from "../../../src/face/rig/bake-notes.ts";
import type { BakeOptions, PortraitSource } from "../bake-options.ts";
import { TabBakeError, type TabBakeProblem } from "./bake/tab-bake-error.ts";
import { TabBaker } from "./bake/tab-baker.ts";

const CODES: Readonly<Record<TabBakeProblem, EngineErrorCode>> = Object.freeze({
  picture: "unsupported-media",
  "picture-size": "too-large",
  webassembly: "unavailable",
  browser: "unavailable",
  network: "upstream-unavailable",
  package: "unavailable",
  memory: "unavailable",
  timeout: "timeout",
  failed: "program-failed",
});

/** Throws as `bake`. */
export async function bakeInTab(portrait: PortraitSource, options: BakeOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { family, canvas = "1:1", onProgress, onNote, signal, assets } = options;
  const baker = new TabBaker(assets);
  try {
    const { flaw } = await baker.findFaces(await pictureOf(portrait, signal), { signal });
    if (flaw && flaw.kind !== "unsure") throw new EngineError(codeOf(flaw.kind), flaw.message);
    if (flaw) onNote?.(flaw.message);
    const size = typeof canvas === "string" ? CANVAS_SIZES[canvas] : canvas;
    const { imx, notes } = await baker.bake({ face: 0 }, { family, canvas: size, onProgress, signal });
    for (const note of notes) onNote?.(describeBakeNote(note, "this canvas"));
    return new Uint8Array(imx);
  } catch (error) {
    throw error instanceof TabBakeError ? new EngineError(CODES[error.code], error.message, { cause: error }) : error;
  } finally {
    baker.close();
  }
}

async function pictureOf(portrait: PortraitSource, signal: AbortSignal | undefined): Promise<Blob> {
  signal?.throwIfAborted();
  if (portrait instanceof Blob) return portrait;
  if (portrait instanceof Uint8Array || portrait instanceof ArrayBuffer) return new Blob([new Uint8Array(portrait)]);
  try {
    const response = await fetch(new URL(portrait, document.baseURI), { signal });
    if (response.ok) return await response.blob();
    throw new Error(`it answered ${response.status}`);
  } catch (cause) {
    signal?.throwIfAborted();
    throw new EngineError("upstream-unavailable", "The picture cannot be loaded.", { cause });
  }
}

function codeOf(kind: FaceFlawKind): EngineErrorCode {
  return kind === "no-face" ? "no-face" : "face-unsuitable";
}
