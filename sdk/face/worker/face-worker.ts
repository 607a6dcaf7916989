// The worker of one face: opens the avatar, does the lip sync, renders, and draws. So the page's own thread stays free.
import { config } from "zod/mini";
import { isEngineError } from "../../../shared/engine-error.ts";
import { createEngine } from "../../../src/face/engine/create-engine.ts";
import { readImx } from "../../../src/face/imx/read-imx.ts";
import { openAvatar } from "../../../src/face/rendering/open-avatar.ts";
import { FaceError } from "../face-error.ts";
import type { FaceAnswer, FaceOrder } from "../face-messages.ts";
import { LiveFace } from "./live-face.ts";
import type { MotionFace } from "./motion-face.ts";
import { openMotionFace } from "./open-motion-face.ts";
import { assertWebAssembly, wasmRuntime } from "./wasm-runtime.ts";

const WEIGHTS = new URL("../../../models/lip-sync/lip-sync.8bit.bin", import.meta.url);

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<FaceOrder>) => void) | null;
  postMessage(answer: FaceAnswer): void;
};
/** Motion is of no use after seconds; an order of another kind comes once in a while. */
const MOST_WAITING = 200;
/** Orders that came before the face was there. */
let waiting: FaceOrder[] = [];
let carryOut = (order: FaceOrder): void => {
  waiting.push(order);
  if (waiting.length > MOST_WAITING)
    waiting.splice(
      waiting.findIndex(({ type }) => type === "motion"),
      1,
    );
};
let giveBundle: (bytes: Uint8Array) => void;
const givenBundle = new Promise<Uint8Array>((resolve) => {
  giveBundle = resolve;
});

// Zod would otherwise try to compile code, which policies forbid.
config({ jitless: true });
scope.onmessage = ({ data }) => {
  if (data.type === "open") void live(() => open(data.bundle, data.canvas));
  else if (data.type === "follow-motion") void live(() => followMotion(data.canvas));
  else if (data.type === "bundle") giveBundle(data.bytes);
  else carryOut(data);
};

async function live(open: () => Promise<{ run(): Promise<never> }>): Promise<void> {
  try {
    await (await open()).run();
  } catch (error) {
    const { code, message } = asFaceError(error);
    scope.postMessage({ type: "failed", code, message });
  }
}

async function open(bundle: string, canvas: OffscreenCanvas): Promise<LiveFace> {
  assertWebAssembly();
  const weights = fetchBytes(WEIGHTS.href);
  // Awaited below; the avatar may be refused first.
  weights.catch(() => undefined);
  const imx = await readImx(await fetchBytes(bundle));
  const avatar = await openAvatar(imx, wasmRuntime);
  const engine = await createEngine({ avatar, runtime: wasmRuntime, lipSyncModel: await weights });
  canvas.width = avatar.widthPx;
  canvas.height = avatar.heightPx;
  const face = new LiveFace({
    engine,
    canvas,
    onShown: () => scope.postMessage({ type: "shown" }),
    onSpeaking: (isSpeaking) => scope.postMessage({ type: "speaking", isSpeaking }),
  });
  const { widthPx, heightPx, gestures } = avatar;
  scope.postMessage({ type: "opened", widthPx, heightPx, gestures: [...gestures.keys()] });
  obey((order) => {
    if (order.type === "show") face.isShown = order.isShown;
    else if (order.type === "calm") face.isCalm = order.isCalm;
    else if (order.type === "listen") face.listen(order.port, order.rateHz);
    else if (order.type === "clock") face.clock.set(order.audioS, order.heardAtMs);
    else if (order.type === "silence") face.silence();
    else if (order.type === "gesture") engine.trigger(order.name);
    else if (order.type === "listening") engine.listening(order.isListening);
  });
  return face;
}

async function followMotion(canvas: OffscreenCanvas): Promise<MotionFace> {
  const opened = await openMotionFace(canvas, givenBundle, (answer) => scope.postMessage(answer));
  obey(opened.carryOut);
  return opened.face;
}

/** From now on, and for what came before. */
function obey(order: (order: FaceOrder) => void): void {
  carryOut = order;
  for (const one of waiting) order(one);
  waiting = [];
}

async function fetchBytes(url: string): Promise<Uint8Array> {
  const name = new URL(url).pathname.split("/").at(-1) || url;
  const response = await fetch(url).catch((cause: unknown) => {
    throw new FaceError(
      "not-loaded",
      `${name} could not be loaded: the connection failed, or its server does not allow this page to read it.`,
      { cause },
    );
  });
  if (!response.ok)
    throw new FaceError("not-loaded", `${name} could not be loaded: its server answered ${response.status}.`);
  return new Uint8Array(await response.arrayBuffer());
}

function asFaceError(error: unknown): FaceError {
  if (error instanceof FaceError) return error;
  if (isEngineError(error) && error.code !== "unavailable") return new FaceError("bundle-invalid", error.message);
  return new FaceError("stopped", "The face stopped. Load the page again.", { cause: error });
}
