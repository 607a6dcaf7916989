// The worker of one face: opens the avatar, does the lip sync, renders, and draws. So the page's own thread stays free.
import { fromDataUrl } from "../../../shared/from-base64.ts";
import { createEngine } from "../../../src/face/engine/create-engine.ts";
import { readImx } from "../../../src/face/imx/read-imx.ts";
import type { HeardOfUser } from "../../../src/face/motion/listening-reactions.ts";
import { openAvatar } from "../../../src/face/rendering/open-avatar.ts";
import { FaceError } from "../face-error.ts";
import type { FaceOrder } from "../face-messages.ts";
import { LiveFace } from "./live-face.ts";
import { MicrophoneInput } from "./microphone-input.ts";
import { assertWebAssembly, wasmRuntime } from "./wasm-runtime.ts";
import { answer, hear, live } from "./worker-scope.ts";

const WEIGHTS = new URL("../../../models/lip-sync/lip-sync.8bit.bin", import.meta.url);

type Opening = Extract<FaceOrder, { type: "open" }>;

/** Orders that came before the face was there. */
let waiting: FaceOrder[] = [];
let carryOut = (order: FaceOrder): void => void waiting.push(order);

hear<FaceOrder>((order) => {
  if (order.type === "open") void live(() => open(order));
  else carryOut(order);
});

async function open({ bundle, canvas, weights: given, manner, isCalm }: Opening): Promise<LiveFace> {
  assertWebAssembly();
  const weights = given ? Promise.resolve(given) : fetchBytes(WEIGHTS.href);
  // Awaited below; the avatar may be refused first.
  weights.catch(() => undefined);
  const imx = await readImx(await fetchBytes(bundle));
  const avatar = await openAvatar(imx, wasmRuntime);
  const engine = await createEngine({ avatar, runtime: wasmRuntime, lipSyncModel: await weights, manner });
  canvas.width = avatar.widthPx;
  canvas.height = avatar.heightPx;
  const face = new LiveFace({
    engine,
    canvas,
    isCalm,
    onShown: () => answer({ type: "shown" }),
    onSpeaking: (isSpeaking) => answer({ type: "speaking", isSpeaking }),
  });
  const { widthPx, heightPx, gestures } = avatar;
  answer({ type: "opened", widthPx, heightPx, gestures: [...gestures.keys()] });
  const listening = { isTold: false, isHeard: false };
  const setListening = (change: Partial<typeof listening>): void => {
    Object.assign(listening, change);
    engine.listening(listening.isTold || listening.isHeard);
  };
  let microphone: MicrophoneInput | undefined;
  const hearMicrophone = (port?: MessagePort, rateHz = 0): void => {
    microphone?.close();
    const events = {
      onHeard: (what: HeardOfUser) => engine.heard(what),
      onSpeaking: (isSpeaking: boolean) => setListening({ isHeard: isSpeaking }),
    };
    microphone = port && new MicrophoneInput(port, rateHz, events);
  };
  carryOut = (order) => {
    if (order.type === "show") face.isShown = order.isShown;
    else if (order.type === "listen") face.listen(order.port, order.rateHz);
    else if (order.type === "clock") face.clock.set(order.audioS, order.heardAtMs);
    else if (order.type === "silence") face.silence();
    else if (order.type === "gesture") engine.trigger(order.name);
    else if (order.type === "express") face.express(order.expression);
    else if (order.type === "listening") setListening({ isTold: order.isListening });
    else if (order.type === "hear") hearMicrophone(order.port, order.rateHz);
    else if (order.type === "hear-nothing") hearMicrophone();
    else if (order.type === "thinking") engine.thinking(order.isThinking);
  };
  for (const order of waiting) carryOut(order);
  waiting = [];
  return face;
}

/** Policies that let a page load nothing forbid to fetch what it has already. */
async function fetchBytes(url: string): Promise<Uint8Array> {
  if (/^data:[^,]*;base64,/.test(url)) return fromDataUrl(new URL(url));
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
