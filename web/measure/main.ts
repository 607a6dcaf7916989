// A page for benchmarks and tests: exposes parts of the engine to a program that controls the browser. Not served by
// the api.
import { config } from "zod/mini";
import type { FoundFaces, PictureEdit } from "../../sdk/engine/tab/bake/bake-messages.ts";
import { TabBakeError } from "../../sdk/engine/tab/bake/tab-bake-error.ts";
import { TabBaker } from "../../sdk/engine/tab/bake/tab-baker.ts";
import { FACE_PARAMETER_COUNT } from "../../shared/face-parameters.ts";
import { readImx } from "../../src/face/imx/read-imx.ts";
import type { Avatar } from "../../src/face/rendering/avatar.ts";
import { writeRgba } from "../../src/face/rendering/i420-to-rgba.ts";
import { openAvatar } from "../../src/face/rendering/open-avatar.ts";
import { createWebRuntime, type WebRuntime } from "../../src/signal/inference/web-runtime.ts";

/** What `globalThis.measure` offers. Bundles and graphs are fetched from the page's own origin. */
export interface Measure {
  /** Opens a bundle on a provider; resolves with the provider in use. */
  open(bundleUrl: string, provider: "auto" | "wasm" | "webgpu"): Promise<string>;
  /** The I420 bytes of a pose (33 numbers, rest pose included), base64. */
  render(parameters: number[]): Promise<string>;
  /** Wall-clock ms of each of `count` frames of a moving face, from parameters to I420. */
  timeFrames(count: number): Promise<number[]>;
  /** Wall-clock ms of each conversion of a frame to RGBA. */
  timeConversion(count: number): Promise<number[]>;
  /** Wall-clock ms of each of `count` runs of a graph with one input, float32 of the given shape. */
  timeGraph(graphUrl: string, shape: number[], count: number): Promise<number[]>;
  /** Fetches what finding and baking need; resolves when that has begun. */
  prepareBaker(): Promise<void>;
  /** Finds faces with the tab's baker. Rejects with code and message of a TabBakeError. */
  findFaces(pictureUrl: string, edit?: PictureEdit): Promise<FoundFaces>;
  /** Bakes a found face; the `.imx`, base64, and the progress that was told. Rejects as `findFaces`. */
  bakeFace(face: number): Promise<{ imx: string; progress: number[] }>;
  /** Begins to bake and cancels at once; the name of the error, and ms until it came. */
  cancelBake(face: number): Promise<{ name: string; tookMs: number }>;
  /** The picture of the last `findFaces` as edited, a JPEG, base64. */
  editedPicture(): Promise<string>;
}

const WARM_UP = 5;

// Zod would otherwise try to compile code, which the page's policy forbids.
config({ jitless: true });

let runtime: WebRuntime | undefined;
let avatar: Avatar | undefined;
const baker = new TabBaker();
let picture: { url: string; blob: Blob } | undefined;

const measure: Measure = {
  async open(bundleUrl, provider) {
    await avatar?.close();
    runtime = await createWebRuntime({ provider });
    avatar = await openAvatar(await readImx(await fetchBytes(bundleUrl)), runtime);
    return runtime.provider;
  },
  async render(parameters) {
    const { data } = await opened().avatar.render(Float32Array.from(parameters));
    return toBase64(data);
  },
  async timeFrames(count) {
    const { avatar } = opened();
    const parameters = new Float32Array(FACE_PARAMETER_COUNT);
    return time(count, async (index) => {
      // Every parameter moves a little, as in speech.
      for (let k = 0; k < parameters.length; k++) parameters[k] = 0.3 * Math.sin(0.7 * index + k);
      await avatar.render(parameters);
    });
  },
  async timeConversion(count) {
    const frame = await opened().avatar.render(new Float32Array(FACE_PARAMETER_COUNT));
    const rgba = new Uint8ClampedArray(4 * frame.widthPx * frame.heightPx);
    return time(count, async () => writeRgba(frame, rgba));
  },
  async timeGraph(graphUrl, shape, count) {
    const { runtime } = opened();
    const session = await runtime.createSession(await fetchBytes(graphUrl));
    const data = new Float32Array(shape.reduce((product, size) => product * size, 1)).map((_, i) => Math.sin(i) * 0.9);
    const feeds = { [session.inputNames[0]]: new runtime.Tensor("float32", data, shape) };
    try {
      return await time(count, async () => void (await session.run(feeds)));
    } finally {
      await session.release();
    }
  },
  async prepareBaker() {
    baker.prepare();
  },
  async findFaces(pictureUrl, edit = {}) {
    return baker.findFaces(await pictureAt(pictureUrl), edit).catch(rethrowWithCode);
  },
  async bakeFace(face) {
    const progress: number[] = [];
    const onProgress = (share: number) => progress.push(share);
    const { imx } = await baker.bake({ face }, { onProgress }).catch(rethrowWithCode);
    return { imx: toBase64(imx), progress };
  },
  async cancelBake(face) {
    const abort = new AbortController();
    const baking = baker.bake({ face }, { signal: abort.signal });
    const startedMs = performance.now();
    abort.abort();
    const name = await baking.then(
      () => "",
      (error: Error) => error.name,
    );
    return { name, tookMs: performance.now() - startedMs };
  },
  async editedPicture() {
    return toBase64(new Uint8Array(await (await baker.picture()).arrayBuffer()));
  },
};

Object.assign(globalThis, { measure });

function opened(): { runtime: WebRuntime; avatar: Avatar } {
  if (!runtime || !avatar) throw new Error("open a bundle first");
  return { runtime, avatar };
}

async function time(count: number, run: (index: number) => Promise<void>): Promise<number[]> {
  const durationsMs: number[] = [];
  for (let index = -WARM_UP; index < count; index++) {
    const startedMs = performance.now();
    await run(index);
    if (index >= 0) durationsMs.push(performance.now() - startedMs);
  }
  return durationsMs;
}

async function fetchBytes(url: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** The same Blob for the same address, as a page holds the file of its visitor. */
async function pictureAt(url: string): Promise<Blob> {
  if (picture?.url !== url) picture = { url, blob: new Blob([await fetchBytes(url)]) };
  return picture.blob;
}

/** Only the message of an error reaches the program that controls the browser. */
function rethrowWithCode(error: unknown): never {
  throw error instanceof TabBakeError ? new Error(`${error.code}: ${error.message}`) : error;
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  // In pieces, because a call takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}
