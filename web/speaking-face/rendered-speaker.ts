// The answer, rendered in the frame by `<avatar-face>`, where the host's policy lets WebAssembly and a worker run.
import { AvatarFaceElement } from "../../sdk/face/avatar-face-element.ts";
import { giveLipSyncWeights } from "../../sdk/face/lip-sync-weights.ts";
import { pageAudio } from "../../sdk/face/page-audio.ts";
import { loadVoiceTap } from "../../sdk/face/voice-path.ts";
import { fromBase64 } from "../../shared/from-base64.ts";
import { runsWebAssembly, runsWebAssemblySimd } from "../../src/signal/inference/runs-web-assembly.ts";
import { fetchPart } from "./fetch-part.ts";
import type { HostLink } from "./host-link.ts";
import type { Speaker, SpeakerPlace } from "./speaker.ts";
import type { SpeakingOrder } from "./speaking-order.ts";
import { decodeSpeech, SpeechSound } from "./speech-sound.ts";

/** Longest until the first frame shows, ms. */
const READY_MS = 30_000;
/** After the last sound: the face plays it later, and closes its mouth. */
const AFTER_MS = 400;

/** Whether the policy and the browser let the face be rendered here, as far as can be known without trying. */
export function canRender(): boolean {
  return runsWebAssembly() && runsWebAssemblySimd() && typeof AudioWorkletNode === "function";
}

/** Resolves once the face shows. Rejects if a part is missing or the face fails; then nothing of it remains. */
export async function openRendered(
  link: HostLink,
  order: SpeakingOrder,
  { place, onProgress }: SpeakerPlace,
): Promise<Speaker> {
  await within(READY_MS, loadVoiceTap(pageAudio()));
  const shares = { face: 0, "lip-sync": 0, speech: 0 };
  const fetched = (part: keyof typeof shares) =>
    fetchPart(link, order, part, {
      onProgress(share) {
        shares[part] = share;
        onProgress((shares.face + shares["lip-sync"] + shares.speech) / 3);
      },
    });
  const [bundle, weights, speech] = await Promise.all([fetched("face"), fetched("lip-sync"), fetched("speech")]);
  giveLipSyncWeights(fromBase64(weights.base64));
  const buffer = await decodeSpeech(speech.base64);
  const face = new AvatarFaceElement();
  try {
    face.name = order.name;
    if (order.poster) face.poster = order.poster;
    const ready = untilReady(face);
    face.src = `data:application/octet-stream;base64,${bundle.base64}`;
    place.append(face);
    await ready;
  } catch (error) {
    face.remove();
    throw error;
  }
  return new RenderedSpeaker(face, buffer);
}

class RenderedSpeaker implements Speaker {
  readonly #face: AvatarFaceElement;
  readonly #sound: SpeechSound;
  #failure: Promise<never>;

  constructor(face: AvatarFaceElement, buffer: AudioBuffer) {
    this.#face = face;
    const outlet = new MediaStreamAudioDestinationNode(pageAudio(), { channelCount: 1 });
    this.#sound = new SpeechSound(buffer, outlet);
    face.srcObject = outlet.stream;
    this.#failure = new Promise<never>((_, reject) =>
      face.addEventListener("error", () => reject(face.error ?? new Error("the face failed")), { once: true }),
    );
    this.#failure.catch(() => undefined);
  }

  async play(): Promise<void> {
    this.#face.play();
    const end = this.#sound.play().then(() => new Promise<void>((resolve) => setTimeout(resolve, AFTER_MS)));
    await Promise.race([end, this.#failure]);
  }

  stop(): void {
    this.#sound.stop();
  }

  close(): void {
    this.#sound.stop();
    this.#face.source = null;
    this.#face.remove();
  }
}

function untilReady(face: AvatarFaceElement): Promise<void> {
  const ready = new Promise<void>((resolve, reject) => {
    face.addEventListener("ready", () => resolve(), { once: true });
    face.addEventListener("error", () => reject(face.error ?? new Error("the face failed")), { once: true });
  });
  return within(READY_MS, ready);
}

/** Rejects if it takes longer. */
function within<Value>(longestMs: number, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the face did not show in time")), longestMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
