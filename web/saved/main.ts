// A saved face: everything that it needs is in the file, which may lie on a disk without a network.
import { config } from "zod/mini";
import { createTabFace } from "../../sdk/engine/tab/face/create-tab-face.ts";
import { decodeAudioFile, SAMPLE_RATE_HZ } from "../../sdk/engine/tab/face/decode-audio-file.ts";
import { posterOf } from "../../sdk/engine/tab/face/poster-of.ts";
import type { TabFace } from "../../sdk/engine/tab/face/tab-face.ts";
import { isEngineError } from "../../shared/engine-error.ts";
import { readImx } from "../../src/face/imx/read-imx.ts";
import { openAvatar } from "../../src/face/rendering/open-avatar.ts";
import { deviceProblem } from "../shared/device-problem.ts";
import { findElement } from "../shared/find-element.ts";
import { followViewport } from "../shared/stage/follow-viewport.ts";
import { Stage } from "../shared/stage/stage.ts";
import { builtInRuntime } from "./built-in-runtime.ts";
import { needSavedBytes, readSavedBytes, readSavedFace } from "./saved-parts.ts";

const audio = new AudioContext({ sampleRate: SAMPLE_RATE_HZ });
const room = findElement("room", HTMLElement);
const play = findElement("play", HTMLButtonElement);
const microphone = findElement("microphone", HTMLButtonElement);
const file = findElement("audio-file", HTMLInputElement);
const canvas = document.createElement("canvas");
const stage = new Stage({
  host: room,
  heading: 1,
  face: canvas,
  actions: findElement("actions", HTMLElement),
  composer: findElement("note", HTMLElement),
});
let face: TabFace | undefined;

// Zod would otherwise try to compile code, which the file's policy forbids.
config({ jitless: true });
followViewport();
play.addEventListener("click", () => void playSaved());
file.addEventListener("change", () => {
  const [chosen] = file.files ?? [];
  file.value = "";
  if (chosen) void playFile(chosen);
});
findElement("audio", HTMLButtonElement).addEventListener("click", () => file.click());
findElement("stop", HTMLButtonElement).addEventListener("click", stop);
microphone.addEventListener("click", () => void setMicrophone(microphone.getAttribute("aria-pressed") !== "true"));
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") stop();
});
takeDrops();
void open();

async function open(): Promise<void> {
  stage.setState("waiting", "Opening");
  try {
    const { name, recording } = readSavedFace();
    const bundle = needSavedBytes("bundle");
    document.title = name;
    stage.setName(name);
    play.hidden = recording === undefined;
    stage.showPoster(await posterOf(bundle));
    face = await createTabFace({
      avatar: await openAvatar(await readImx(bundle), builtInRuntime),
      runtime: builtInRuntime,
      lipSyncWeights: Promise.resolve(needSavedBytes("weights")),
      audio,
      canvas,
      onLevel: () => stage.reveal(),
      onFailure: () => showProblem("The face stands still", "Open the file again."),
    });
    stage.setRatio(face.widthPx / face.heightPx);
    stage.setDisclosure(true);
    stage.setState("idle");
  } catch (error) {
    const words = isEngineError(error) ? error.message : "The file is damaged, or this browser is too old for it.";
    showProblem("The face cannot be opened", words);
  }
}

async function playSaved(): Promise<void> {
  const recording = readSavedBytes("recording");
  if (recording) await say(recording.buffer, "The recording cannot be played");
}

async function playFile(chosen: File): Promise<void> {
  await say(await chosen.arrayBuffer(), `${chosen.name} cannot be played`);
}

async function say(recording: ArrayBuffer, problem: string): Promise<void> {
  // Within the press, because browsers let audio play only then.
  void audio.resume();
  stop();
  try {
    const samples = await decodeAudioFile(audio, recording);
    stop();
    stage.setState("speaking");
    face?.speak(samples, () => stage.setState("idle"));
  } catch {
    showProblem(problem, "It is no audio that this browser can read. Try another file.");
  }
}

async function setMicrophone(isOn: boolean): Promise<void> {
  stop();
  if (!isOn || !face) return;
  void audio.resume();
  try {
    await face.mimic((level) => stage.setLevel(level));
    stage.setState("listening", "Follows your voice");
    microphone.setAttribute("aria-pressed", "true");
  } catch (error) {
    const name = error instanceof Error ? error.name : undefined;
    showProblem("The microphone is off", deviceProblem("microphone", name, isSecureContext));
  }
}

function stop(): void {
  face?.clear();
  microphone.setAttribute("aria-pressed", "false");
  stage.setState("idle");
  stage.showNotice(undefined);
}

function showProblem(title: string, text: string): void {
  stage.setState("idle");
  stage.showNotice({ title, text, actions: [{ label: "Close", act: () => stage.showNotice(undefined) }] });
}

/** Anywhere: a file dropped beside the face would otherwise replace the page. */
function takeDrops(): void {
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    room.dataset.dragged = "";
  });
  document.addEventListener("dragleave", ({ relatedTarget }) => {
    if (relatedTarget === null) delete room.dataset.dragged;
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    delete room.dataset.dragged;
    const [dropped] = event.dataTransfer?.files ?? [];
    if (dropped) void playFile(dropped);
  });
}
