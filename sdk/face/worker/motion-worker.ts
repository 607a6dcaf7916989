// The worker of a face that follows motion: renders poses that someone else computed, and draws them. It needs no
// network for lip sync.
import { decodeMotionPacket } from "../../../shared/motion-packet.ts";
import { readImx } from "../../../src/face/imx/read-imx.ts";
import { openAvatar } from "../../../src/face/rendering/open-avatar.ts";
import { loadRigModule } from "../../../src/face/rendering/rig-executor/open-rig-executor.ts";
import type { MotionOrder } from "../face-messages.ts";
import { MotionFace } from "./motion-face.ts";
import { assertWebAssembly, wasmRuntime } from "./wasm-runtime.ts";
import { answer, hear, live } from "./worker-scope.ts";

/** After this many packets in a row that cannot be read, they are of a newer version. */
const MOST_UNREADABLE = 5;
/** Seconds of motion, of which only the last is of use. */
const MOST_WAITING = 200;

let face: MotionFace | undefined;
/** What came before the face was there. */
let isShown = true;
let delayMs: number | undefined;
let unreadable = 0;
let waiting: Extract<MotionOrder, { type: "motion" }>[] = [];
let giveBundle: (bytes: Uint8Array) => void;
const bundle = new Promise<Uint8Array>((resolve) => {
  giveBundle = resolve;
});

hear<MotionOrder>((order) => {
  if (order.type === "open") void live(() => open(order.canvas));
  else if (order.type === "bundle") giveBundle(order.bytes);
  else if (order.type === "motion") move(order);
  else if (order.type === "show") {
    isShown = order.isShown;
    if (face) face.isShown = isShown;
  } else {
    delayMs = order.delayMs;
    face?.clock.setDelay(delayMs);
  }
});

function move(order: Extract<MotionOrder, { type: "motion" }>): void {
  if (!face) {
    waiting.push(order);
    if (waiting.length > MOST_WAITING) waiting.shift();
    return;
  }
  const motion = decodeMotionPacket(order.packet);
  unreadable = motion ? 0 : unreadable + 1;
  if (motion) face.take(motion, order.arrivedAtMs - performance.timeOrigin);
  else if (unreadable === MOST_UNREADABLE) {
    const message = "The avatar's motion is of a newer version. Load the page again.";
    answer({ type: "failed", code: "stopped", message });
  }
}

/** Everything but the avatar's file is loaded before that is there. */
async function open(canvas: OffscreenCanvas): Promise<MotionFace> {
  assertWebAssembly();
  // Opening the avatar reports what goes wrong.
  loadRigModule(wasmRuntime).catch(() => undefined);
  const avatar = await openAvatar(await readImx(await bundle), wasmRuntime);
  const { widthPx, heightPx, gestures } = avatar;
  canvas.width = widthPx;
  canvas.height = heightPx;
  const opened = new MotionFace({
    avatar,
    canvas,
    onShown: () => answer({ type: "shown" }),
    onSpeaking: (isSpeaking) => answer({ type: "speaking", isSpeaking }),
    onSlow: (fps) => answer({ type: "slow", fps }),
  });
  await opened.showRest();
  face = opened;
  face.isShown = isShown;
  if (delayMs !== undefined) face.clock.setDelay(delayMs);
  for (const order of waiting) move(order);
  waiting = [];
  answer({ type: "opened", widthPx, heightPx, gestures: [...gestures.keys()] });
  return face;
}
