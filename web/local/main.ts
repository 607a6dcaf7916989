// The local page: an avatar that runs completely in this tab, without a service.
import { config } from "zod";
import {
  type Avatar,
  createEngine,
  createWebRuntime,
  type Engine,
  type Imx,
  isEngineError,
  openAvatar,
  readImx,
  type WebRuntime,
} from "../../src/browser.ts";
import { decodeAudioFile, SAMPLE_RATE_HZ } from "./decode-audio-file.ts";
import { FacePlayer } from "./face-player.ts";
import { LocalView } from "./local-view.ts";
import { listenTo, type Microphone } from "./microphone.ts";

const LIP_SYNC_MODEL = new URL("../../models/lip-sync/lip-sync.onnx", import.meta.url);

// Zod would otherwise try to compile code, which the page's policy forbids.
config({ jitless: true });

interface Face {
  avatar: Avatar;
  engine: Engine;
  player: FacePlayer;
}

const audio = new AudioContext({ sampleRate: SAMPLE_RATE_HZ });
let face: Face | undefined;
let microphone: Microphone | undefined;

const view = new LocalView({
  openBundle: (file) => void attempt(() => openBundle(file), "This file cannot be opened."),
  playAudio: (file) => void attempt(() => playAudio(file), "This audio file cannot be played."),
  setMicrophone: (isOn) => void attempt(() => setMicrophone(isOn), "The browser did not open the microphone."),
  stop: () => void stop(),
});

// Browsers throttle hidden tabs, so audio stops too.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) void audio.suspend();
  else if (face) void audio.resume();
});

if (!globalThis.isSecureContext) view.showHint("Open this page over https, or on the machine that serves it.");

async function openBundle(file: File): Promise<void> {
  // The click or key that chose the file is the one that browsers ask for before they play audio.
  void audio.resume();
  view.showState("loading");
  await stop();
  try {
    const opened = await openFace(new Uint8Array(await file.arrayBuffer()));
    await closeFace();
    face = opened;
  } catch (error) {
    view.showState(face ? "live" : "empty");
    throw error;
  }
  const { avatar, player } = face;
  view.showFace(avatar.widthPx, avatar.heightPx);
  player.start();
  view.showState("live");
}

async function openFace(bytes: Uint8Array): Promise<Face> {
  const imx = await readImx(bytes);
  const lipSyncModel = fetchBytes(LIP_SYNC_MODEL);
  const { avatar, runtime } = await openAnywhere(imx);
  try {
    const engine = await createEngine({
      avatar,
      runtime: runtime.processor,
      lipSyncModel: await lipSyncModel,
      sampleRateHz: SAMPLE_RATE_HZ,
    });
    const player = new FacePlayer({
      engine,
      audio,
      canvas: view.canvas,
      onMetrics: (metrics) => view.showMetrics(metrics, runtime.provider),
      onFailure: () => view.showHint("Rendering stopped. Open the file again."),
    });
    return { avatar, engine, player };
  } catch (error) {
    await avatar.close();
    throw error;
  }
}

/** Renders on the GPU if possible, otherwise on the CPU. */
async function openAnywhere(imx: Imx): Promise<{ avatar: Avatar; runtime: WebRuntime }> {
  const runtime = await createWebRuntime();
  try {
    return { runtime, avatar: await openAvatar(imx, runtime) };
  } catch (error) {
    if (runtime.provider === "wasm") throw error;
    // Drivers differ in what they can; every browser can do this.
    const fallback = await createWebRuntime({ provider: "wasm" });
    return { runtime: fallback, avatar: await openAvatar(imx, fallback) };
  }
}

async function closeFace(): Promise<void> {
  const closing = face;
  face = undefined;
  await closing?.player.close();
  await closing?.engine.close();
  await closing?.avatar.close();
}

async function playAudio(file: File): Promise<void> {
  void audio.resume();
  const samples = await decodeAudioFile(audio, await file.arrayBuffer());
  await stop();
  if (!face) return;
  face.player.speak(samples, () => view.showHint(""));
  view.showHint(`Playing ${file.name}`);
}

async function setMicrophone(isOn: boolean): Promise<void> {
  await stop();
  if (!isOn || !face) return;
  void audio.resume();
  const segment = face.player.mimic();
  try {
    microphone = await listenTo(audio, (samples) => segment.push(samples));
  } catch (error) {
    segment.end();
    throw error;
  }
  view.setMicrophonePressed(true);
  view.showHint("The face says what you say. Your voice stays in this tab.");
}

/** Stops all speech. */
async function stop(): Promise<void> {
  const closing = microphone;
  microphone = undefined;
  face?.player.clear();
  view.setMicrophonePressed(false);
  view.showHint("");
  await closing?.close();
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

async function fetchBytes(url: URL): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname} answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
