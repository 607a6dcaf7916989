// The answer as sound beside the face at rest, where neither the face nor a film can be shown.
import { pageAudio } from "../../sdk/face/page-audio.ts";
import { fetchPart } from "./fetch-part.ts";
import type { HostLink } from "./host-link.ts";
import type { Speaker, SpeakerPlace } from "./speaker.ts";
import type { SpeakingOrder } from "./speaking-order.ts";
import { decodeSpeech, SpeechSound } from "./speech-sound.ts";

/** Rejects if the speech cannot be had or read. */
export async function openPoster(link: HostLink, order: SpeakingOrder, { onProgress }: SpeakerPlace): Promise<Speaker> {
  const { base64 } = await fetchPart(link, order, "speech", { onProgress });
  const sound = new SpeechSound(await decodeSpeech(base64), pageAudio().destination);
  return { play: () => sound.play(), stop: () => sound.stop(), close: () => sound.stop() };
}
