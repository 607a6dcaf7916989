// The start page: a visitor gives a photograph, it comes to life in this tab, and then the service lets it talk.
import { fetchBytes } from "../../sdk/engine/tab/face/fetch-bytes.ts";
import { Access } from "../shared/access.ts";
import { findElement } from "../shared/find-element.ts";
import { showGestureChips } from "../shared/gesture-chips.ts";
import { fetchPortrait, type SampleFace } from "../shared/sample-faces.ts";
import { Stage } from "../shared/stage/stage.ts";
import { openTabStorage } from "../shared/tab-storage.ts";
import { AccessView } from "./access-view.ts";
import { AgentClient, type AgentOrder, type AgentStatus } from "./agent-client.ts";
import { AgentFlow } from "./agent-flow.ts";
import { Camera } from "./camera.ts";
import { ChangeView } from "./change-view.ts";
import { HomeFace } from "./home-face.ts";
import { TAKES_PICTURES } from "./home-state.ts";
import { HomeView } from "./home-view.ts";
import { KeptPage } from "./kept-page.ts";
import { listenForPictures } from "./listen-for-pictures.ts";
import { agentCode, frameCode } from "./next-steps.ts";
import { NextView } from "./next-view.ts";
import { type Choices, OrderView } from "./order-view.ts";
import { OwnAvatars } from "./own-avatars.ts";
import { PictureFlow } from "./picture-flow.ts";
import { SampleFlow } from "./sample-flow.ts";
import { TalkingView } from "./talking-view.ts";
import { voiceChoices } from "./voices.ts";

/** The agent's code is in the fragment, so that the page finds it again when it is loaded again. */
const FRAGMENT = /^#agent=([A-Za-z0-9_-]{3,64})$/;
const NOT_MARKED = "Choose a voice. Then you mark eyes and mouth, and the face is made from that.";
/** For how long links work. A frame on a site that should last needs tokens of the site's own server. */
const SHARED_DAYS = 7;
const FRAMED_DAYS = 90;

const base = new URL("./", location.href.replace(/[?#].*$/, ""));
const storage = openTabStorage(() => sessionStorage);
const access = new Access({ base, storage });
const client = new AgentClient(base, access);
const keptPage = new KeptPage({ storage });

const view = new HomeView((state) => {
  if (state !== "empty") samples.leave();
});
const stage = new Stage({
  host: findElement("stage", HTMLElement),
  face: document.createElement("canvas"),
  actions: findElement("tab-gestures", HTMLElement),
});
const face = new HomeFace(stage);
const samples = new SampleFlow({ base, face, talk: (sample) => void agents.make(orderOfSample(sample)) });
const order = new OrderView({
  hear: (voice) => void hear(voice),
  make: (choices) => void agents.make(orderOfPicture(choices)),
  shape: () => void pictures.reshape(),
});
const pictures = new PictureFlow({
  face,
  show: (state, title) => view.show(state, title),
  shape: () => order.shape,
  showNote: (text) => {
    kind = "photograph";
    order.showNote(text);
  },
  markFace,
});
const agents = new AgentFlow({
  client,
  view,
  askForAccess,
  frame: () => void pictures.frame(),
  hasPicture: () => pictures.hasPicture,
  showPicture: (url, name) => void face.showPicture(url, name),
  onAccepted: (code) => void prepareTalk(code),
  onReady: talk,
});
const accessView = new AccessView({
  use: (secret, isKept) => void useSecret(secret, isKept),
  back: () => void back(),
  forget: forgetSecret,
});
const camera = new Camera((file) => void take(file));
const talking = new TalkingView({
  live: () => {
    agents.finish();
    void face.close();
  },
  spoke: () => next.reveal(),
  link: () => client.shortLink(current.code, SHARED_DAYS),
});
const next = new NextView({
  frameCode: async () => frameCode(await client.shortLink(current.code, FRAMED_DAYS), current.name),
  agentCode: () => agentCode(current.code, base.href.replace(/\/$/, "")),
  film: (text) => client.film(current.code, current.model, text),
});
const change = new ChangeView({
  hear: (voice) => void hear(voice),
  save: (changed) => client.change(current.code, changed),
  delete: () => void deleteCurrent(),
});
const own = new OwnAvatars({
  client,
  open: (code) => void leave().then(() => agents.open(code)),
  onDeleted: (code) => code === agents.code && void another(),
});

/** The avatar that talks. */
let current: AgentStatus;
/** How the picture is sent: `any` lets its owner mark the face. */
let kind: AgentOrder["kind"] = "photograph";
/** What the visitor wanted when the service required a secret. */
let goOn: (() => void) | undefined;

listenForPictures({
  input: findElement("file", HTMLInputElement),
  button: findElement("choose", HTMLElement),
  isOpen: () => TAKES_PICTURES.includes(view.state),
  onDrag: (isOver) => {
    view.showDrag(isOver);
    if (isOver) pictures.prepare();
  },
  onFile: (file) => void take(file),
  onNothing: (message) => view.showPictureProblem(message),
});
for (const way of ["pointerenter", "focusin"]) findElement("drop", HTMLElement).addEventListener(way, prepareOnce);
for (const button of document.querySelectorAll(".another")) button.addEventListener("click", () => void another());
findElement("camera", HTMLButtonElement).addEventListener("click", () => {
  view.showPictureProblem("");
  pictures.prepare();
  void camera.open();
});
findElement("frame-again", HTMLButtonElement).addEventListener("click", () => void pictures.frame());
findElement("more-voices", HTMLButtonElement).addEventListener("click", (event) => {
  order.showVoices(voiceChoices({ areAll: true }));
  (event.currentTarget as HTMLElement).hidden = true;
});
findElement("cancel", HTMLButtonElement).addEventListener("click", () => void back());
// Another code was put into the address.
window.addEventListener("hashchange", () => location.reload());
order.showVoices(voiceChoices({ areAll: false }));
showGestureChips(findElement("tab-gestures", HTMLElement), (gesture) => face.gesture(gesture));
void open();

async function open(): Promise<void> {
  const code = FRAGMENT.exec(location.hash)?.[1];
  if (code === undefined) void samples.show();
  try {
    await access.open();
  } catch {
    // The page works without the service until it needs it, and says so then.
  }
  accessView.showSignedIn(access.kind === "secret");
  if (code !== undefined) await agents.open(code);
  else if (access.kind !== "none") void own.refresh();
}

/** Begins with a file. One that is no picture leaves everything as it was. */
async function take(file: File): Promise<void> {
  view.showPictureProblem("");
  try {
    await pictures.take(file);
  } catch (error) {
    view.showPictureProblem(messageOf(error));
  }
}

function prepareOnce(): void {
  pictures.prepare();
}

function markFace(): void {
  kind = "any";
  order.showNote(NOT_MARKED);
  view.show("chosen", "First, a voice");
}

function orderOfPicture({ voice, name, character, shape }: Choices) {
  return { voice, name, character, shape, kind, picture: () => pictures.forService() };
}

/** A sample keeps its name and voice. */
function orderOfSample(sample: SampleFace) {
  const { name, voice } = sample;
  return { voice, name, character: "", shape: "1:1", kind: "any", picture: () => fetchPortrait(sample) } as const;
}

async function hear(voice: string): Promise<void> {
  try {
    const recording = fetchBytes(new URL(`v1/voices/${voice}/preview`, base)).then(
      ({ buffer }) => buffer as ArrayBuffer,
    );
    await face.speak(recording);
  } catch {
    order.showProblem("This voice cannot be heard now. Try again in a moment; it can be chosen all the same.");
  }
}

function askForAccess(problem: string, again: () => void): void {
  const wasRefused = access.kind === "secret";
  goOn = again;
  access.forget();
  accessView.showSignedIn(false);
  accessView.show(wasRefused ? problem : "");
  view.show("access");
}

async function useSecret(secret: string, isKept: boolean): Promise<void> {
  accessView.showCheck();
  try {
    await access.useSecret(secret, { isKept });
  } catch (error) {
    return accessView.showProblem(messageOf(error));
  }
  accessView.showSignedIn(true);
  void own.refresh();
  goOn?.();
}

function forgetSecret(): void {
  access.forget();
  accessView.showSignedIn(false);
  own.clear();
  void another();
}

/** Its room, voice and greeting get ready beside its face. */
async function prepareTalk(code: string): Promise<void> {
  try {
    await client.prepare(await keptPage.of(code, () => client.embedPage(code)));
  } catch {
    // The conversation begins when its page is opened.
  }
}

async function talk(status: AgentStatus, notes: readonly string[]): Promise<void> {
  const page = await keptPage.of(status.code, () => client.embedPage(status.code));
  current = status;
  face.clear();
  next.reset(status.modelUrl);
  change.show(status);
  view.show("talking", status.name || "Your avatar");
  talking.show({ name: status.name, page, notes, face: face.canvas });
  void own.refresh();
  next.showPrice(await client.creditsPerMinute(status.model).catch(() => undefined));
}

/** Back to the picture and the choices, or to the beginning without one. */
async function back(): Promise<void> {
  await agents.leave();
  if (pictures.hasPicture) view.show("chosen");
  else await another();
}

async function leave(): Promise<void> {
  talking.leave();
  keptPage.forget();
  await agents.leave();
  pictures.drop();
  view.showPictureProblem("");
}

async function another(): Promise<void> {
  await leave();
  view.show("empty");
  void samples.show();
  if (access.kind !== "none") void own.refresh();
}

async function deleteCurrent(): Promise<void> {
  if (!confirm("Delete this avatar? It cannot be restored.")) return;
  try {
    await client.delete(current.code);
    await another();
    view.say("The avatar was deleted.");
  } catch (error) {
    talking.showProblem(messageOf(error));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
