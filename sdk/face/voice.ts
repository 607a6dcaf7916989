// Voices that a face can follow, each with two ways to be heard: by itself, or through the page's audio context.
import { FaceError } from "./face-error.ts";
import type { LiveKitTrack } from "./livekit-shapes.ts";
import { wakePageAudio } from "./page-audio.ts";

/** A voice. It may change its audio, or have none for a while. */
export interface Voice {
  /** Called when `node` would return another one. */
  onChange: () => void;
  /** Called when the browser plays nothing before the visitor taps, or does again. */
  onBlocked: (isBlocked: boolean) => void;
  /** What carries it in the context; undefined while it has no audio. Throws FaceError if it cannot be read. */
  node(context: AudioContext): AudioNode | undefined;
  /** Whether it plays by itself, undelayed; otherwise it is played from its node. `isSilent`: neither does. */
  setPlain(isPlain: boolean, isSilent: boolean): void;
  /** Leaves it as it was. Idempotent. */
  close(): void;
}

/** A stream, played by an audio element of our own, unless the page plays it already. */
export class StreamVoice implements Voice {
  onChange: () => void = () => undefined;
  onBlocked: (isBlocked: boolean) => void = () => undefined;
  readonly #stream: MediaStream;
  /** Of livekit-client: the page may have attached it to elements of its own. */
  readonly #track: LiveKitTrack | undefined;
  /** Chromium passes the audio of a call on to Web Audio only while a media element plays it, muted or not. */
  readonly #player = new Audio();
  #node: MediaStreamAudioSourceNode | undefined;
  #nodeTrack: MediaStreamTrack | undefined;
  #isPlain = false;
  #isSilent = false;

  constructor(stream: MediaStream, track?: LiveKitTrack) {
    this.#stream = stream;
    this.#track = track;
    this.#player.srcObject = stream;
    this.#player.autoplay = true;
    this.#player.muted = true;
    for (const change of ["addtrack", "removetrack"]) stream.addEventListener(change, this.#changed);
    for (const change of ["elementAttached", "elementDetached"]) track?.on(change, this.#apply);
  }

  node(context: AudioContext): AudioNode | undefined {
    const [track] = this.#stream.getAudioTracks();
    if (track === this.#nodeTrack) return this.#node;
    this.#nodeTrack = track;
    this.#node = track && context.createMediaStreamSource(new MediaStream([track]));
    return this.#node;
  }

  setPlain(isPlain: boolean, isSilent: boolean): void {
    this.#isPlain = isPlain;
    this.#isSilent = isSilent;
    this.#apply();
  }

  close(): void {
    this.#player.pause();
    this.#player.srcObject = null;
    for (const change of ["addtrack", "removetrack"]) this.#stream.removeEventListener(change, this.#changed);
    for (const change of ["elementAttached", "elementDetached"]) this.#track?.off(change, this.#apply);
    this.#setPageVolume(true);
  }

  #apply = (): void => {
    const isByPage = (this.#track?.attachedElements?.length ?? 0) > 0;
    this.#setPageVolume(this.#isPlain || this.#isSilent);
    this.#player.muted = !this.#isPlain || this.#isSilent || isByPage;
    void this.#play();
  };

  /** The page's own elements are silent while the graph of a face is heard instead. */
  #setPageVolume(isHeard: boolean): void {
    const track = this.#track;
    if (!track) return;
    const quiet = quietTracks.get(track);
    if (!isHeard) {
      if (quiet) quiet.by.add(this);
      else quietTracks.set(track, { volume: pageVolume(track), by: new Set([this]) });
      track.setVolume?.(0);
    } else if (quiet?.by.delete(this) && quiet.by.size === 0) {
      quietTracks.delete(track);
      track.setVolume?.(quiet.volume);
    }
  }

  async #play(): Promise<void> {
    const { muted } = this.#player;
    try {
      await this.#player.play();
      if (!muted) this.onBlocked(false);
    } catch (error) {
      // Anything else is a change of the stream, after which it plays.
      if (!muted && error instanceof DOMException && error.name === "NotAllowedError") this.onBlocked(true);
    }
  }

  #changed = (): void => {
    this.onChange();
    this.#apply();
  };
}

/** Tracks that the page does not play because faces do, and how loud the page had played them. Faces may share one. */
const quietTracks = new WeakMap<LiveKitTrack, { volume: number; by: Set<StreamVoice> }>();

/** Before it has an element, a track says 0 if its volume was never set. */
function pageVolume(track: LiveKitTrack): number {
  const volume = track.getVolume?.() ?? 1;
  return (track.attachedElements?.length ?? 0) > 0 ? volume : volume || 1;
}

interface BoundElement {
  source: MediaElementAudioSourceNode;
  /** Its way to the loudspeaker without a face. */
  plain: GainNode;
}

/** A media element is bound to a context once and for all, so its source outlives the face. */
const boundElements = new WeakMap<HTMLMediaElement, BoundElement>();

/** A media element of the page, which stays in charge of what plays, when, and how loud. */
export class ElementVoice implements Voice {
  onChange: () => void = () => undefined;
  onBlocked: (isBlocked: boolean) => void = () => undefined;
  readonly #element: HTMLMediaElement;

  constructor(element: HTMLMediaElement) {
    this.#element = element;
    element.addEventListener("play", this.#changed);
  }

  node(context: AudioContext): AudioNode | undefined {
    const { currentSrc, crossOrigin } = this.#element;
    // What binds an element too early, or to what it may not read, silences it.
    if (currentSrc === "") return undefined;
    const { origin, protocol } = new URL(currentSrc, document.baseURI);
    if (origin !== location.origin && protocol !== "data:" && crossOrigin === null)
      throw new FaceError(
        "audio-unreadable",
        `This audio comes from ${origin}, so the face may not read it: set crossorigin on the element, and let that server allow it.`,
      );
    const bound = boundElements.get(this.#element) ?? bind(this.#element, context);
    return bound.source;
  }

  setPlain(isPlain: boolean, isSilent: boolean): void {
    const bound = boundElements.get(this.#element);
    if (bound) bound.plain.gain.value = isPlain && !isSilent ? 1 : 0;
  }

  close(): void {
    this.#element.removeEventListener("play", this.#changed);
    this.setPlain(true, false);
  }

  #changed = (): void => {
    // A tap on the element's own controls is seen by no listener of the page, but lets audio play.
    wakePageAudio();
    this.onChange();
  };
}

function bind(element: HTMLMediaElement, context: AudioContext): BoundElement {
  const bound = { source: context.createMediaElementSource(element), plain: new GainNode(context) };
  bound.source.connect(bound.plain).connect(context.destination);
  boundElements.set(element, bound);
  return bound;
}
