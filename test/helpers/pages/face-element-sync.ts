// A/V offset of `<avatar-face>`: what its canvas presents, and what reaches the destination of the page's audio.
import { LOUDNESS_STEP_MS } from "../../../cli/demo/lip-sync.ts";

/** Where the page finds RECORDER. */
export const RECORDER_PATH = "/audio-recorder.js";

/** A worklet that tells how loud each step of audio is, and when it passed on the audio clock. */
export const RECORDER = `
registerProcessor("audio-recorder", class extends AudioWorkletProcessor {
  #step = Math.round((sampleRate * ${LOUDNESS_STEP_MS}) / 1000);
  #squares = 0;
  #count = 0;
  process([[samples]]) {
    for (let i = 0; i < 128; i++) {
      this.#squares += (samples?.[i] ?? 0) ** 2;
      if (++this.#count < this.#step) continue;
      const atS = (currentFrame + i + 1 - this.#step) / sampleRate;
      this.port.postMessage({ atS, loudness: Math.sqrt(this.#squares / this.#step) });
      this.#squares = this.#count = 0;
    }
    return true;
  }
});
`;

/** An init script for a page: records for `measureTabFace`, from `startRecordingFace(canvas)` on. */
export const RECORD_FACE_ELEMENT = `(${record.toString()})(${JSON.stringify(RECORDER_PATH)})`;

/** Runs in the tab, before its scripts; so it stands alone. */
function record(recorderPath: string): void {
  const recorded: { frames: { atMs: number; luma: number[] }[]; audio: { atMs: number; loudness: number }[] } = {
    frames: [],
    audio: [],
  };
  let isRecording = false;
  const { addModule } = AudioWorklet.prototype;
  AudioWorklet.prototype.addModule = async function (this: AudioWorklet, ...module: unknown[]) {
    await Reflect.apply(addModule, this, [recorderPath]);
    await Reflect.apply(addModule, this, module);
  } as typeof addModule;
  const recorders = new WeakMap<BaseAudioContext, AudioWorkletNode>();
  const { connect } = AudioNode.prototype;
  AudioNode.prototype.connect = function (this: AudioNode, ...to: unknown[]) {
    if (to[0] instanceof AudioDestinationNode) void tap(this);
    return Reflect.apply(connect, this, to);
  } as typeof connect;

  /** Joins everything that goes to the destination. */
  async function tap(node: AudioNode): Promise<void> {
    const context = node.context as AudioContext;
    if (!recorders.has(context)) await context.audioWorklet.addModule(recorderPath);
    const recorder = recorders.get(context) ?? new AudioWorkletNode(context, "audio-recorder", { numberOfOutputs: 0 });
    recorders.set(context, recorder);
    Reflect.apply(connect, node, [recorder]);
    recorder.port.onmessage = ({ data }: MessageEvent<{ atS: number; loudness: number }>) => {
      if (!isRecording) return;
      const { contextTime = 0, performanceTime = 0 } = context.getOutputTimestamp();
      recorded.audio.push({ atMs: performanceTime + 1000 * (data.atS - contextTime), loudness: data.loudness });
    };
  }

  const size = 32;
  const small = new OffscreenCanvas(size, size).getContext("2d", { willReadFrequently: true })!;
  function startRecordingFace(canvas: HTMLCanvasElement): void {
    isRecording = true;
    let before = "";
    const look = (nowMs: number): void => {
      small.drawImage(canvas, 0, 0, size, size);
      const { data } = small.getImageData(0, 0, size, size);
      const luma: number[] = [];
      for (let i = 0; i < data.length; i += 4) luma.push(0.3 * data[i] + 0.6 * data[i + 1] + 0.1 * data[i + 2]);
      const now = luma.join();
      // Presented with the next refresh of the screen.
      if (now !== before) recorded.frames.push({ atMs: nowMs + 1000 / 60, luma });
      before = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }
  Object.assign(globalThis, { recordedFace: recorded, startRecordingFace });
}
