// The worker's end: answers to the page, and the first error, after which nothing moves.
import { config } from "zod/mini";
import { isEngineError } from "../../../shared/engine-error.ts";
import { FaceError } from "../face-error.ts";
import type { FaceAnswer } from "../face-messages.ts";

const scope = self as unknown as {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(answer: FaceAnswer): void;
};

/** Carries out the page's orders. */
export function hear<Order>(carryOut: (order: Order) => void): void {
  // Zod would otherwise try to compile code, which policies forbid.
  config({ jitless: true });
  scope.onmessage = ({ data }: MessageEvent<Order>) => carryOut(data);
}

export function answer(message: FaceAnswer): void {
  scope.postMessage(message);
}

/** Lets a face move until it fails, and tells the page why. */
export async function live(open: () => Promise<{ run(): Promise<never> }>): Promise<void> {
  try {
    await (await open()).run();
  } catch (error) {
    const { code, message } = asFaceError(error);
    answer({ type: "failed", code, message });
  }
}

function asFaceError(error: unknown): FaceError {
  if (error instanceof FaceError) return error;
  if (isEngineError(error) && error.code !== "unavailable") return new FaceError("bundle-invalid", error.message);
  return new FaceError("stopped", "The face stopped. Load the page again.", { cause: error });
}
