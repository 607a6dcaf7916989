// The answer as a short film that the server makes, where the face cannot be rendered. It costs credits, so it is made
// once the person wants it.

import { fromBase64 } from "../../shared/from-base64.ts";
import { fetchPart } from "./fetch-part.ts";
import { HostError, type HostLink } from "./host-link.ts";
import type { Speaker, SpeakerPlace } from "./speaker.ts";
import type { SpeakingOrder } from "./speaking-order.ts";
import { SoundBlocked } from "./speech-sound.ts";

const ORDER_MS = 30_000;
/** How long one call waits for the film, seconds; hosts end calls after a minute. */
const WAIT_SECONDS = 20;
const WAITED_MS = 45_000;
/** Longest until the film is there, ms. */
const FILM_MS = 180_000;
/** Longest until the browser has read its beginning, ms. */
const OPEN_MS = 10_000;

export interface FilmPlace extends SpeakerPlace {
  /** What a screen reader calls the film. */
  label: string;
}

export class FilmSpeaker implements Speaker {
  readonly #link: HostLink;
  readonly #order: SpeakingOrder;
  readonly #at: FilmPlace;
  #video: HTMLVideoElement | undefined;
  #release: () => void = () => undefined;
  #end: () => void = () => undefined;

  constructor(link: HostLink, order: SpeakingOrder, at: FilmPlace) {
    this.#link = link;
    this.#order = order;
    this.#at = at;
  }

  /** Called when it begins to move. */
  onPlaying: () => void = () => undefined;

  /** Whether the film is there. */
  get isMade(): boolean {
    return this.#video !== undefined;
  }

  async play(): Promise<void> {
    this.#video ??= await this.#open();
    const video = this.#video;
    video.currentTime = 0;
    const ended = new Promise<void>((resolve, reject) => {
      this.#end = resolve;
      video.addEventListener("ended", () => resolve(), { once: true });
      video.addEventListener("error", () => reject(new Error("the film cannot be played")), { once: true });
    });
    ended.catch(() => undefined);
    try {
      await video.play();
    } catch (cause) {
      const isBlocked = cause instanceof DOMException && cause.name === "NotAllowedError";
      throw isBlocked ? new SoundBlocked("The browser blocks the sound.", { cause }) : cause;
    }
    this.onPlaying();
    await ended;
  }

  stop(): void {
    this.#video?.pause();
    this.#end();
  }

  close(): void {
    this.stop();
    this.#video?.remove();
    this.#release();
    this.#video = undefined;
  }

  /** Makes the film and shows it. */
  async #open(): Promise<HTMLVideoElement> {
    const { base64, mimeType } = await this.#make();
    const { poster } = this.#order;
    // Policies of hosts differ: most let media be part of the page in one of these two ways.
    for (const address of [dataAddress, blobAddress]) {
      const video = document.createElement("video");
      video.playsInline = true;
      video.preload = "auto";
      video.setAttribute("aria-label", this.#at.label);
      if (poster) video.poster = poster;
      const { url, release } = address(base64, mimeType);
      if (await opens(video, url)) {
        this.#release = release;
        this.#at.place.append(video);
        return video;
      }
      release();
    }
    throw new HostError("NO_FILMS");
  }

  async #make() {
    const { agentId, model, text, voice, isLocal } = this.#order;
    const onProgress = (share: number) => this.#at.onProgress(share);
    if (isLocal) return fetchPart(this.#link, this.#order, "film", { pieceMs: FILM_MS, onProgress });
    const asked = await this.#link.call(
      "create_video",
      { agent_id: agentId, model, text, voice: voice || undefined },
      ORDER_MS,
    );
    const { job_id } = asked.structuredContent ?? {};
    const deadlineMs = performance.now() + FILM_MS;
    for (;;) {
      const given = { job_id, wait_seconds: WAIT_SECONDS };
      const { structuredContent = {} } = await this.#link.call("get_video", given, WAITED_MS);
      const { status, progress } = structuredContent;
      if (status === "completed") break;
      if (status === "failed") throw new HostError("FILM_FAILED");
      if (performance.now() > deadlineMs) throw new HostError("FILM_LATE");
      onProgress(typeof progress === "number" ? 0.8 * progress : 0);
    }
    return fetchPart(this.#link, this.#order, "film", {
      more: { job_id },
      onProgress: (share) => onProgress(0.8 + 0.2 * share),
    });
  }
}

interface Address {
  url: string;
  release(): void;
}

function dataAddress(base64: string, mimeType: string): Address {
  return { url: `data:${mimeType};base64,${base64}`, release: () => undefined };
}

function blobAddress(base64: string, mimeType: string): Address {
  const url = URL.createObjectURL(new Blob([fromBase64(base64)], { type: mimeType }));
  return { url, release: () => URL.revokeObjectURL(url) };
}

function opens(video: HTMLVideoElement, url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), OPEN_MS);
    const done = (isOpen: boolean) => {
      clearTimeout(timer);
      resolve(isOpen);
    };
    video.addEventListener("loadeddata", () => done(true), { once: true });
    video.addEventListener("error", () => done(false), { once: true });
    video.src = url;
    video.load();
  });
}
