// The start page: a visitor gives a photograph, and it talks.
import { Access } from "../shared/access.ts";
import { atOwnOrigin } from "../shared/at-own-origin.ts";
import { RequestError } from "../shared/request-error.ts";
import { AgentClient, type AgentOrder, type AgentStatus } from "./agent-client.ts";
import { Camera } from "./camera.ts";
import { currentStep, markingReason, noteOf } from "./creation-steps.ts";
import { followAgent } from "./follow-agent.ts";
import { type Choices, HomeView } from "./home-view.ts";
import { KeptPage } from "./kept-page.ts";
import { listenForPictures } from "./listen-for-pictures.ts";
import { type Picture, preparePicture, toDataUri } from "./prepare-picture.ts";

/** The agent's code is in the fragment, so that the page finds it again when it is loaded again. */
const FRAGMENT = /^#agent=([A-Za-z0-9_-]{3,64})$/;
const GONE = "This avatar no longer exists.";
/** Refusals after which the same picture may be accepted. */
const REPEATABLE = ["NETWORK", "SERVICE_UNAVAILABLE", "RATE_LIMITED", "INTERNAL_ERROR", "BAD_ANSWER", "CONFLICT"];

const base = new URL("./", location.href.replace(/[?#].*$/, ""));
const access = new Access({ base, storage: sessionStorage });
const client = new AgentClient(base, access);
const keptPage = new KeptPage({ storage: sessionStorage });
const camera = new Camera((file) => void choose(file));
const view = new HomeView({
  useSecret: (secret, isKept) => void useSecret(secret, isKept),
  forgetSecret,
  openCamera: () => void camera.open(),
  make: (choices) => void make(choices, "photograph"),
  cancel: () => void discard().then(() => view.show(picture ? "chosen" : "empty")),
  another: () => void another(),
  repeat: () => lastChoices && void make(lastChoices, lastKind),
  markFace: () => lastChoices && void make(lastChoices, "any"),
  share: () => void share(),
  deleteAvatar: () => void deleteAvatar(),
});

let picture: Picture | undefined;
let lastChoices: Choices | undefined;
let lastKind: AgentOrder["kind"] = "photograph";
/** The agent on the page. `isDone` once it is ready: the others are deleted when the visitor turns away from them. */
let agent: { code: string; isDone: boolean } | undefined;
/** Ends what runs when the visitor turns to something else. */
let current = new AbortController();

listenForPictures({
  input: document.querySelector<HTMLInputElement>("#file")!,
  button: document.querySelector<HTMLElement>("#choose")!,
  isOpen: () => ["empty", "chosen", "refused"].includes(view.state),
  onDrag: (isOver) => view.showDrag(isOver),
  onFile: (file) => void choose(file),
  onNothing: (message) => view.showPictureProblem(message),
});
// Another code was put into the address.
window.addEventListener("hashchange", () => location.reload());
void open();

async function open(): Promise<void> {
  try {
    if (!(await access.open())) return view.showAccess({ isSecure: isSecureContext });
  } catch (error) {
    return refuse(error);
  }
  await start();
}

/** Begins with the agent of the address, or with none. */
async function start(): Promise<void> {
  view.showSignedIn(access.kind === "secret");
  const code = FRAGMENT.exec(location.hash)?.[1];
  if (code === undefined) return view.show("empty");
  view.showOpening("Looking for your avatar …");
  await follow(code, [], begin());
}

async function useSecret(secret: string, isKept: boolean): Promise<void> {
  view.showAccessCheck();
  try {
    await access.useSecret(secret, { isKept });
    view.showAccessProblem("");
    await start();
  } catch (error) {
    view.showAccessProblem(messageOf(error));
  }
}

function forgetSecret(): void {
  access.forget();
  keptPage.forget();
  current.abort();
  view.showSignedIn(false);
  view.showAccess({ isSecure: isSecureContext });
}

async function choose(file: File): Promise<void> {
  try {
    const prepared = await preparePicture(file);
    await discard();
    if (picture) URL.revokeObjectURL(picture.url);
    picture = prepared;
    view.setPicture(picture.url);
    view.show("chosen");
  } catch (error) {
    await another();
    view.showPictureProblem(messageOf(error));
  }
}

/** Sends the picture and follows the agent that is made from it. */
async function make(choices: Choices, kind: AgentOrder["kind"]): Promise<void> {
  if (!picture) return;
  lastChoices = choices;
  lastKind = kind;
  const signal = begin();
  view.showStep(0, "", undefined);
  view.show("making");
  try {
    const order = { ...choices, image: await toDataUri(picture.blob) };
    const { code, notes } = await create({ ...order, kind }, signal);
    agent = { code, isDone: false };
    history.replaceState(history.state, "", `#agent=${code}`);
    await follow(code, notes, signal);
  } catch (error) {
    if (!signal.aborted) refuse(error);
  }
}

/** A drawn face is refused as a photograph, and then made as what it is. */
async function create(order: AgentOrder, signal: AbortSignal): ReturnType<AgentClient["create"]> {
  try {
    return await client.create(order, signal);
  } catch (error) {
    const isDrawn = error instanceof RequestError && error.reason === "not-a-person";
    if (!isDrawn) throw error;
    return client.create({ ...order, kind: "any" }, signal);
  }
}

async function follow(code: string, notes: readonly string[], signal: AbortSignal): Promise<void> {
  agent = { code, isDone: false };
  try {
    const status = await followAgent({
      client,
      code,
      signal,
      onStatus: (latest) => void showProgress(latest, signal),
      onTrouble: (message) => view.showMessage(message),
    });
    if (status.state === "failed") return refuse(new RequestError("FAILED", status.message));
    const page = await keptPage.of(code, () => client.embedPage(code));
    signal.throwIfAborted();
    agent = { code, isDone: true };
    const { name, modelUrl } = status;
    const note = noteOf(status);
    view.showAvatar({ code, name, page, modelUrl, notes: note === undefined ? notes : [...notes, note] });
  } catch (error) {
    if (signal.aborted) return;
    const isGone = error instanceof RequestError && error.code === "NOT_FOUND";
    if (isGone) agent = undefined;
    refuse(isGone ? new RequestError("FAILED", GONE) : error);
  }
}

async function showProgress(status: AgentStatus, signal: AbortSignal): Promise<void> {
  if (status.state === "ready" || status.state === "failed") return;
  if (!picture && status.imageUrl !== "") view.setPicture(atOwnOrigin(status.imageUrl));
  if (status.state === "making") {
    view.showStep(currentStep(status), status.message, status.progress);
    if (view.state !== "making") view.show("making");
  } else if (view.state !== "marking") {
    try {
      const page = await client.markingPage(status.code);
      if (!signal.aborted) view.showMarking(markingReason(status), page);
    } catch (error) {
      if (!signal.aborted) refuse(error);
    }
  }
}

function refuse(error: unknown): void {
  current.abort();
  const { code, reason } = error instanceof RequestError ? error : { code: "", reason: undefined };
  if (code === "UNAUTHORIZED" || code === "MISSING_AUTH") {
    access.forget();
    view.showSignedIn(false);
    view.showAccess({ isSecure: isSecureContext });
    view.showAccessProblem(messageOf(error));
    return;
  }
  const canRepeat = picture !== undefined && REPEATABLE.includes(code);
  view.showRefusal({ message: messageOf(error), canRepeat, canMark: reason === "no-face" });
}

async function share(): Promise<void> {
  if (!agent) return;
  try {
    const link = await client.embedPage(agent.code);
    const isCopied = await copy(link);
    view.showShare(link, isCopied ? "Copied. It works for an hour." : "It works for an hour.");
  } catch (error) {
    view.showSpeakingProblem(messageOf(error));
  }
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Browsers allow it on secure pages only, and may ask the visitor; the link is selected for copying by hand.
    return false;
  }
}

async function deleteAvatar(): Promise<void> {
  if (!agent || !confirm("Delete this avatar? It cannot be restored.")) return;
  try {
    await client.delete(agent.code);
    agent = undefined;
    await another();
    view.say("The avatar was deleted.");
  } catch (error) {
    view.showSpeakingProblem(messageOf(error));
  }
}

async function another(): Promise<void> {
  await discard();
  if (picture) URL.revokeObjectURL(picture.url);
  picture = undefined;
  view.setPicture(undefined);
  if (access.kind === "none") await open();
  else view.show("empty");
}

/** Leaves the agent of the page. One that is not ready is of no use to anyone, so it is deleted. */
async function discard(): Promise<void> {
  current.abort();
  const left = agent;
  keptPage.forget();
  agent = undefined;
  history.replaceState(history.state, "", location.pathname + location.search);
  // It may be gone already; otherwise it remains in the account, where its owner finds it.
  if (left && !left.isDone) await client.delete(left.code).catch(() => undefined);
}

function begin(): AbortSignal {
  current.abort();
  current = new AbortController();
  return current.signal;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
