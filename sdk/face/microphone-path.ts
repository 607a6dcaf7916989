// How the visitor's microphone comes to the face that listens: while the face shows, through the page's audio context
// to the face's worker, and nowhere else. It is not played.
import { pageAudio } from "./page-audio.ts";
import type { TabRenderer } from "./tab-renderer.ts";
import { loadVoiceTap } from "./voice-path.ts";

const TRACK_EVENTS = ["ended", "mute", "unmute"] as const;

interface Tap {
  source: AudioNode;
  node: AudioWorkletNode;
}

export class MicrophonePath {
  readonly #stream: MediaStream;
  readonly #onError: (error: unknown) => void;
  readonly #context = pageAudio();
  #track: MediaStreamTrack | undefined;
  #renderer: TabRenderer | undefined;
  #tap: Tap | undefined;
  #isUnreadable = false;
  #isClosed = false;

  /** `onError`: the browser does not let the face read it. The stream stays the page's. */
  constructor(stream: MediaStream, onError: (error: unknown) => void) {
    this.#stream = stream;
    this.#onError = onError;
    for (const change of ["addtrack", "removetrack"]) stream.addEventListener(change, this.#followTrack);
    this.#followTrack();
  }

  /** What renders the face while it shows; undefined while it does not. */
  set renderer(renderer: TabRenderer | undefined) {
    if (renderer === this.#renderer) return;
    this.#untap();
    this.#renderer = renderer;
    this.#update();
  }

  /** Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#untap();
    this.#isClosed = true;
    for (const change of ["addtrack", "removetrack"]) this.#stream.removeEventListener(change, this.#followTrack);
    for (const change of TRACK_EVENTS) this.#track?.removeEventListener(change, this.#update);
  }

  #followTrack = (): void => {
    const [track] = this.#stream.getAudioTracks();
    if (track === this.#track) return;
    this.#untap();
    for (const change of TRACK_EVENTS) this.#track?.removeEventListener(change, this.#update);
    this.#track = track;
    for (const change of TRACK_EVENTS) track?.addEventListener(change, this.#update);
    this.#update();
  };

  /** A track that has ended or that its device mutes brings no audio. */
  #update = (): void => {
    if (this.#isClosed) return;
    const track = this.#track;
    const isHeard = track?.readyState === "live" && !track.muted;
    if (isHeard && this.#renderer && !this.#isUnreadable) void this.#takeUp(track, this.#renderer);
    else this.#untap();
  };

  async #takeUp(track: MediaStreamTrack, renderer: TabRenderer): Promise<void> {
    try {
      await loadVoiceTap(this.#context);
      if (this.#isClosed || this.#tap || renderer !== this.#renderer || track !== this.#track) return;
      const source = this.#context.createMediaStreamSource(new MediaStream([track]));
      const options = { numberOfOutputs: 0, channelCount: 1, channelCountMode: "explicit" } as const;
      const node = new AudioWorkletNode(this.#context, "voice-tap", options);
      const { port1, port2 } = new MessageChannel();
      node.port.postMessage(port1, [port1]);
      source.connect(node);
      this.#tap = { source, node };
      renderer.hear(port2, this.#context.sampleRate);
    } catch (error) {
      this.#isUnreadable = true;
      this.#onError(error);
    }
  }

  #untap(): void {
    const tap = this.#tap;
    if (!tap) return;
    this.#tap = undefined;
    tap.node.port.postMessage(null);
    tap.source.disconnect(tap.node);
    this.#renderer?.hearNothing();
  }
}
