// Opens a face that follows motion: everything but the avatar's file is loaded before that is there.
import { decodeMotionPacket } from "../../../shared/motion-packet.ts";
import { readImx } from "../../../src/face/imx/read-imx.ts";
import { openAvatar } from "../../../src/face/rendering/open-avatar.ts";
import { loadRigModule } from "../../../src/face/rendering/rig-executor/open-rig-executor.ts";
import type { FaceAnswer, FaceOrder } from "../face-messages.ts";
import { MotionFace } from "./motion-face.ts";
import { assertWebAssembly, wasmRuntime } from "./wasm-runtime.ts";

export interface OpenedMotionFace {
  face: MotionFace;
  carryOut(order: FaceOrder): void;
}

/** Rejects with FaceError and EngineError. */
export async function openMotionFace(
  canvas: OffscreenCanvas,
  bundle: Promise<Uint8Array>,
  tell: (answer: FaceAnswer) => void,
): Promise<OpenedMotionFace> {
  assertWebAssembly();
  // Opening the avatar reports what goes wrong.
  loadRigModule(wasmRuntime).catch(() => undefined);
  const avatar = await openAvatar(await readImx(await bundle), wasmRuntime);
  const { widthPx, heightPx, gestures } = avatar;
  canvas.width = widthPx;
  canvas.height = heightPx;
  const face = new MotionFace({
    avatar,
    canvas,
    onShown: () => tell({ type: "shown" }),
    onSpeaking: (isSpeaking) => tell({ type: "speaking", isSpeaking }),
    onSlow: (fps) => tell({ type: "slow", fps }),
  });
  tell({ type: "opened", widthPx, heightPx, gestures: [...gestures.keys()] });
  return { face, carryOut: (order) => carryOut(face, order) };
}

function carryOut(face: MotionFace, order: FaceOrder): void {
  if (order.type === "show") face.isShown = order.isShown;
  else if (order.type === "delay") face.clock.setDelay(order.delayMs);
  else if (order.type === "motion") {
    const motion = decodeMotionPacket(order.packet);
    if (motion) face.take(motion, order.arrivedAtMs - performance.timeOrigin);
  }
}
