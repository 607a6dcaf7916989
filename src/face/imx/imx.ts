// The content of an `.imx`, and how it is assembled from verified members.
import { FACE_PARAMETER_COUNT } from "../../../shared/face-parameters.ts";
import { readPngHeader } from "../../signal/image/decode-png.ts";
import type { ChestField } from "../figure/chest-field.ts";
import { type ImxManifest, parseManifest } from "./manifest.ts";
import { imxError, MAX_MEMBER_BYTES } from "./member-table.ts";
import { PACKED, unpackMember } from "./packed-member.ts";
import { checkRigGraph } from "./rig-graph-check.ts";

/** Names of the members, besides the gesture tracks. */
export const MEMBER = Object.freeze({
  manifest: "manifest.json",
  rig: "rig.onnx",
  canvas: "canvas.png",
  poster: "poster.jpg",
  /** Present only if the manifest has a chest. */
  chest: "chest.u8",
});

/** Longest gesture: one minute at 25 fps. */
const MAX_GESTURE_FRAMES = 1500;

/** An avatar as stored in a file. */
export interface Imx {
  manifest: ImxManifest;
  /** The rig graph (ONNX): takes the face parameters, returns the pixels of the face region. */
  rig: Uint8Array;
  /** The whole image, of the manifest's canvas size, as a PNG for `decodeCanvas`. The face region is rendered over
   *  it. */
  canvas: Uint8Array;
  /** The avatar at rest as a JPEG, shown before the first video frame. */
  poster: Uint8Array;
  /** Tracks by name: float32 [frames × 33], added to the pose at 25 fps. */
  gestures: ReadonlyMap<string, Float32Array>;
  /** The part that moves with the breath; null if there is none. */
  chest: ChestField | null;
}

/** Member name of a gesture's track. */
export function gestureMember(name: string): string {
  return `gestures/${name}.f32`;
}

/** Assembles an avatar. `read` returns a member's bytes with verified hash, or undefined if the member is missing. Rig
 *  and gestures may be compressed; their names then end in `.gz`.
 *  Throws EngineError(bundle-invalid) if a member is missing or has the wrong format, or if the rig graph is not
 *  allowed. */
export async function assembleImx(read: (name: string) => Promise<Uint8Array | undefined>): Promise<Imx> {
  const need = async (name: string): Promise<Uint8Array> => {
    const bytes = await read(name);
    if (!bytes) throw imxError(`member ${name} is missing`);
    return bytes;
  };
  const needUnpacked = async (name: string, mostBytes: number): Promise<Uint8Array> => {
    const packed = await read(name + PACKED);
    return packed ? unpackMember(name + PACKED, packed, mostBytes) : need(name);
  };
  const manifest = parseManifest(await need(MEMBER.manifest));
  const rig = await needUnpacked(MEMBER.rig, MAX_MEMBER_BYTES);
  checkRigGraph(rig, manifest.parameters.length);
  const canvas = await need(MEMBER.canvas);
  checkPng(canvas, manifest.canvas);
  const poster = await need(MEMBER.poster);
  if (!(poster[0] === 0xff && poster[1] === 0xd8 && poster[2] === 0xff))
    throw imxError(`${MEMBER.poster} is not a JPEG`);
  const gestures = new Map<string, Float32Array>();
  const width = manifest.parameters.length;
  for (const name of manifest.gestures) {
    const track = await needUnpacked(gestureMember(name), 4 * width * MAX_GESTURE_FRAMES);
    gestures.set(name, widen(decodeGesture(name, track, width), width));
  }
  const chest = manifest.chest ? decodeChest(manifest.chest, await need(MEMBER.chest)) : null;
  return { manifest, rig, canvas, poster, gestures, chest };
}

function decodeChest(grid: NonNullable<ImxManifest["chest"]>, bytes: Uint8Array): ChestField {
  if (bytes.length !== grid.columns * grid.rows) {
    throw imxError(`${MEMBER.chest} has ${bytes.length} bytes for ${grid.columns} × ${grid.rows} cells`);
  }
  return { ...grid, data: bytes };
}

/** Checks the PNG header against the manifest, so that the decoder never gets an image larger than declared. */
function checkPng(bytes: Uint8Array, canvas: ImxManifest["canvas"]): void {
  const header = readPngHeader(bytes);
  if (!header) throw imxError(`${MEMBER.canvas} is not a PNG`);
  const heightPx = header.isGrey ? (canvas.heightPx * 3) / 2 : canvas.heightPx;
  if (header.widthPx !== canvas.widthPx || header.heightPx !== heightPx) {
    throw imxError(`the size of ${MEMBER.canvas} differs from the manifest`);
  }
}

/** A track of the file's parameters as one of ours: parameters that the file lacks are zero. */
function widen(track: Float32Array, width: number): Float32Array {
  if (width === FACE_PARAMETER_COUNT) return track;
  const wide = new Float32Array((track.length / width) * FACE_PARAMETER_COUNT);
  for (let frame = 0; frame * width < track.length; frame++) {
    wide.set(track.subarray(frame * width, (frame + 1) * width), frame * FACE_PARAMETER_COUNT);
  }
  return wide;
}

/** `width`: parameters of a frame. */
function decodeGesture(name: string, bytes: Uint8Array, width: number): Float32Array {
  const frames = bytes.length / (4 * width);
  if (!Number.isInteger(frames) || frames < 1 || frames > MAX_GESTURE_FRAMES) {
    throw imxError(
      `gesture ${name} has ${bytes.length} bytes, which is no whole number of frames up to ${MAX_GESTURE_FRAMES}`,
    );
  }
  // Copied by constructor, because slice() of a Buffer shares memory.
  const track = new Float32Array(new Uint8Array(bytes).buffer);
  if (!track.every((value) => Math.abs(value) <= 4))
    throw imxError(`gesture ${name} contains values that are out of range`);
  return track;
}
