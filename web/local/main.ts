// The local page: an avatar that runs completely in this tab, without a service.
import { isEngineError } from "../../src/browser.ts";
import { decodeAudioFile, SAMPLE_RATE_HZ } from "../shared/tab-face/decode-audio-file.ts";
import { fetchLipSyncWeights } from "../shared/tab-face/lip-sync-weights.ts";
import { openTabFace } from "../shared/tab-face/open-tab-face.ts";
import type { TabFace } from "../shared/tab-face/tab-face.ts";
import { LocalView } from "./local-view.ts";

const audio = new AudioContext({ sampleRate: SAMPLE_RATE_HZ });
let face: TabFace | undefined;

const view = new LocalView({
  openBundle: (file) => void attempt(() => openBundle(file), "This file cannot be opened."),
  playAudio: (file) => void attempt(() => playAudio(file), "This audio file cannot be played."),
  setMicrophone: (isOn) => void attempt(() => setMicrophone(isOn), "The browser did not open the microphone."),
  stop,
});

if (!globalThis.isSecureContext) view.showHint("Open this page over https, or on the machine that serves it.");

async function openBundle(file: File): Promise<void> {
  // The click or key that chose the file is the one that browsers ask for before they play audio.
  void audio.resume();
  view.showState("loading");
  stop();
  try {
    const opened = await openTabFace({
      bundle: new Uint8Array(await file.arrayBuffer()),
      lipSyncWeights: fetchLipSyncWeights(),
      audio,
      canvas: view.canvas,
      onMetrics: (metrics) => view.showMetrics(metrics),
      onFailure: () => view.showHint("Rendering stopped. Open the file again."),
    });
    await face?.close();
    face = opened;
  } finally {
    view.showState(face ? "live" : "empty");
  }
  view.showFace(face.widthPx, face.heightPx);
}

async function playAudio(file: File): Promise<void> {
  void audio.resume();
  const samples = await decodeAudioFile(audio, await file.arrayBuffer());
  stop();
  if (!face) return;
  face.speak(samples, () => view.showHint(""));
  view.showHint(`Playing ${file.name}`);
}

async function setMicrophone(isOn: boolean): Promise<void> {
  stop();
  if (!isOn || !face) return;
  void audio.resume();
  await face.mimic();
  view.setMicrophonePressed(true);
  view.showHint("The face says what you say. Your voice stays in this tab.");
}

/** Stops all speech. */
function stop(): void {
  face?.clear();
  view.setMicrophonePressed(false);
  view.showHint("");
}

/** Runs an action of the visitor; shows `failure` if it fails. */
async function attempt(act: () => Promise<void>, problem: string): Promise<void> {
  try {
    await act();
  } catch (error) {
    const detail = isEngineError(error) ? ` ${error.message}` : "";
    view.showHint(problem + detail);
  }
}
