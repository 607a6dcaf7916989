// The visitor's microphone, in chunks of 20 ms.
import { toInt16Samples } from "../../src/signal/audio/samples.ts";

const WORKLET = new URL("./microphone-worklet.js", import.meta.url);

export interface Microphone {
  /** Switches it off. Idempotent. */
  close(): Promise<void>;
}

/** Opens the microphone: `onAudio` gets mono int16 at the context's rate. Rejects if the visitor or the browser
 *  refuses. */
export async function listenTo(audio: AudioContext, onAudio: (samples: Int16Array) => void): Promise<Microphone> {
  await audio.audioWorklet.addModule(WORKLET);
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true } });
  const source = audio.createMediaStreamSource(stream);
  const tap = new AudioWorkletNode(audio, "microphone-tap", { numberOfOutputs: 0 });
  tap.port.addEventListener("message", ({ data }: MessageEvent<Float32Array>) => onAudio(toInt16Samples(data)));
  tap.port.start();
  source.connect(tap);
  return {
    async close() {
      tap.port.close();
      source.disconnect();
      for (const track of stream.getTracks()) track.stop();
    },
  };
}
