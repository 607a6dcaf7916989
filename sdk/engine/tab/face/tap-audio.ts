// Reads a node of the page's audio graph in pieces of 20 ms.
import { toInt16Samples } from "../../../../src/signal/audio/samples.ts";

const WORKLET = new URL("./audio-tap-worklet.js", import.meta.url);

/** Calls `onAudio` with mono int16 at the context's rate. Resolves with a function that ends it. `worklet`: address of
 *  the script, where it is not beside this one. Rejects if the browser runs no audio worklets, as on plain http
 *  pages. */
export async function tapAudio(
  source: AudioNode,
  onAudio: (samples: Int16Array) => void,
  worklet = WORKLET,
): Promise<() => void> {
  const audio = source.context;
  if (!audio.audioWorklet) throw new Error("this page may not read audio: it needs https");
  await audio.audioWorklet.addModule(worklet);
  const tap = new AudioWorkletNode(audio, "audio-tap", {
    numberOfOutputs: 0,
    channelCount: 1,
    channelCountMode: "explicit",
  });
  tap.port.addEventListener("message", ({ data }: MessageEvent<Float32Array>) => onAudio(toInt16Samples(data)));
  tap.port.start();
  source.connect(tap);
  return () => {
    tap.port.close();
    source.disconnect(tap);
  };
}
