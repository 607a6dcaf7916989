// The local page: a face that runs completely in this tab.
import { TabBakeError } from "../../sdk/engine/tab/bake/tab-bake-error.ts";
import { SAMPLE_RATE_HZ } from "../../sdk/engine/tab/face/decode-audio-file.ts";
import { fetchBytes } from "../../sdk/engine/tab/face/fetch-bytes.ts";
import { fetchLipSyncWeights } from "../../sdk/engine/tab/face/lip-sync-weights.ts";
import { isEngineError } from "../../shared/engine-error.ts";
import { Access } from "../shared/access.ts";
import { deviceProblem } from "../shared/device-problem.ts";
import { RequestError } from "../shared/request-error.ts";
import { fetchSampleFaces, type SampleFace } from "../shared/sample-faces.ts";
import { followViewport } from "../shared/stage/follow-viewport.ts";
import type { StageAction } from "../shared/stage/stage.ts";
import { openTabStorage } from "../shared/tab-storage.ts";
import { type FaceToOpen, LocalFace, type Recording } from "./local-face.ts";
import { LocalView } from "./local-view.ts";
import { Photograph } from "./photograph.ts";
import { speakLine } from "./speak-line.ts";
import { type Work, WorkPanel } from "./work-panel.ts";

const UNKNOWN = "This did not work. Check the connection, then try again.";
const SPEAK_FIRST = "The face has said nothing yet. Let it say something first, then try again.";

const base = new URL("./", location.href.replace(/[?#].*$/, ""));
const access = new Access({ base, storage: openTabStorage(() => sessionStorage) });
const view = new LocalView({
  hear: () => void attempt("It cannot be heard", hear),
  chooseSample: (sample) => void attempt(`${sample.name} cannot be opened`, () => chooseSample(sample)),
  openBundle: (file) => void attempt(`${file.name} cannot be opened`, () => openBundle(file)),
  takePhotograph: (file) => void photograph.take(file),
  playAudio: (file) => void attempt(`${file.name} cannot be played`, () => playAudio(file)),
  setMicrophone: (isOn) => void setMicrophone(isOn),
  stop,
  say: (line) => void attempt("The line cannot be spoken", () => say(line)),
  film: () => void panel.open(planFilm),
  save: () => void panel.open(planSave),
  express: (mood) => face.express(mood),
  prepare: () => photograph.prepare(),
});
const { stage } = view;
const face = new LocalFace(stage, {
  onMetrics: (metrics) => view.showMetrics(metrics),
  onFailure: () => showProblem("The face stands still", "Rendering stopped. Open a face again."),
  onSpoken: () => undefined,
});
const panel = new WorkPanel(wordsOf);
const photograph = new Photograph({
  onBaked: (bundle) => void attempt("The face cannot be opened", () => open({ name: "Your face", bundle })),
  onQuestion: ({ message, faces }) => {
    const question = faces
      ? { title: "Which face shall it be?", text: "Press the one that shall move." }
      : { title: message };
    stage.showNotice({ ...question, body: faces, actions: [ANOTHER_PICTURE] });
  },
  onProgress: (share) => stage.setState("waiting", `Making the face, ${Math.round(100 * share)} %`),
  onError: (error) => showProblem("This picture cannot be used", wordsOf(error), [ANOTHER_PICTURE]),
});
const ANOTHER_PICTURE: StageAction = {
  label: "Another picture",
  isMain: true,
  act: () => document.getElementById("photograph")?.click(),
};
const OPEN_FILE: StageAction = { label: "Open .imx", act: () => document.getElementById("open")?.click() };
let sample: SampleFace | undefined;

followViewport();
view.offerMoods();
stage.setName("A face in this tab");
void attempt("The sample faces cannot be loaded", openSamples, [
  { label: "Try again", isMain: true, act: () => location.reload() },
]);

async function openSamples(): Promise<void> {
  const samples = await fetchSampleFaces(base);
  view.showSamples(samples);
  const [first] = samples;
  if (!first)
    stage.showNotice({
      title: "Choose a face",
      actions: [{ ...ANOTHER_PICTURE, label: "Use a photograph" }, OPEN_FILE],
    });
  // A failure of its own: the others may work.
  if (first) void attempt(`${first.name} cannot be opened`, () => chooseSample(first));
}

async function chooseSample(chosen: SampleFace): Promise<void> {
  const { name, poster, bundle } = chosen;
  if (await open({ name, poster, bundle: fetchBytes(bundle) })) sample = chosen;
  view.showChosen(sample?.id);
}

async function openBundle(file: File): Promise<void> {
  const name = file.name.replace(/\.imx$/i, "");
  await open({ name, bundle: file.arrayBuffer().then((buffer) => new Uint8Array(buffer)) });
}

/** False if another face was opened meanwhile. */
async function open(order: FaceToOpen): Promise<boolean> {
  stop();
  panel.close();
  // The face before stays if this one cannot be opened.
  const isOpen = await face.open(order);
  if (isOpen) {
    face.forget();
    sample = undefined;
    view.showChosen(undefined);
  }
  return isOpen;
}

/** What was said last, else the line of the sample. */
async function recording(): Promise<Recording> {
  if (face.recording) return face.recording;
  if (!sample) throw new RequestError("NOT_FOUND", SPEAK_FIRST);
  const { buffer } = await fetchBytes(sample.speech);
  return face.keep(buffer as ArrayBuffer, sample.name);
}

async function hear(): Promise<void> {
  // Within the press, because browsers let audio play only then.
  void face.audio.resume();
  face.say(await recording());
}

async function playAudio(file: File): Promise<void> {
  void face.audio.resume();
  face.say(await face.keep(await file.arrayBuffer(), file.name.replace(/\.[^.]*$/, "")));
}

async function say(line: string): Promise<void> {
  void face.audio.resume();
  const spoken = await speakLine(line, { base, access, voice: sample?.voice });
  face.say(await face.keep(spoken, line));
  view.clearLine();
}

async function setMicrophone(isOn: boolean): Promise<void> {
  stop();
  if (!isOn) return;
  try {
    await face.mimic();
    view.setMicrophonePressed(true);
  } catch (error) {
    const name = error instanceof Error ? error.name : undefined;
    showProblem("The microphone is off", deviceProblem("microphone", name, isSecureContext));
  }
}

/** Stops all speech, and what is being made of a photograph. */
function stop(): void {
  photograph.cancel();
  face.clear();
  view.setMicrophonePressed(false);
  stage.showNotice(undefined);
}

async function planFilm(): Promise<Work> {
  const opened = needFace();
  const { samples, label } = await recording();
  // Fetched when it is wanted.
  const [{ findFilmFormat }, { makeFilm }] = await Promise.all([
    import("../../sdk/engine/tab/film/film-format.ts"),
    import("../../sdk/engine/tab/film/make-film.ts"),
  ]);
  const format = await findFilmFormat(opened.widthPx, opened.heightPx);
  if (!format)
    throw new RequestError("UNAVAILABLE", "This browser cannot encode films. Update it, or use another one.");
  const seconds = (samples.length / SAMPLE_RATE_HZ).toFixed(1);
  return {
    plan: `“${label}” as ${format.label}: ${seconds} s, ${opened.widthPx} × ${opened.heightPx}.`,
    doing: "Making the film",
    async run(signal, onProgress) {
      const { bundle, name } = opened;
      const { mood } = face;
      const weights = fetchLipSyncWeights();
      const file = await makeFilm({ bundle, lipSyncWeights: weights, samples, mood, format, signal, onProgress });
      return { file, fileName: `${toFileName(name)}.${format.extension}` };
    },
  };
}

async function planSave(): Promise<Work> {
  const { name, bundle } = needFace();
  // A face may be saved before it has said anything.
  const said = await recording().catch(() => undefined);
  const { saveFace } = await import("./save-face.ts");
  return {
    plan: said ? `${name} and “${said.label}” in one HTML file.` : `${name} in one HTML file, without a recording.`,
    doing: "Putting the file together",
    run: async () => ({
      file: await saveFace({ name, bundle, recording: said }),
      fileName: `${toFileName(name)}.html`,
    }),
  };
}

function needFace(): NonNullable<LocalFace["opened"]> {
  if (face.opened) return face.opened;
  throw new RequestError("NOT_FOUND", "There is no face yet. Open one, then try again.");
}

function toFileName(name: string): string {
  return name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "face";
}

/** Runs an action of the visitor; says what is wrong if it fails. */
async function attempt(title: string, act: () => Promise<unknown>, actions?: readonly StageAction[]): Promise<void> {
  try {
    await act();
  } catch (error) {
    showProblem(title, wordsOf(error), actions);
  }
}

function showProblem(title: string, text: string, actions?: readonly StageAction[]): void {
  stage.setState("idle");
  const close = { label: "Close", act: () => stage.showNotice(undefined) };
  stage.showNotice({ title, text, actions: actions ?? [close] });
}

/** Our own errors say what to do; others come from the browser and say little to a visitor. */
function wordsOf(error: unknown): string {
  const isOurs =
    isEngineError(error) ||
    error instanceof RequestError ||
    error instanceof TabBakeError ||
    error instanceof RangeError;
  if (isOurs) return error.message;
  if (error instanceof DOMException && error.name === "EncodingError")
    return "It is no audio that this browser can read.";
  return UNKNOWN;
}
