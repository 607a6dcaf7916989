// The page on which a person shows where a face is: three taps place all marks, which can then be checked and moved,
// beside a preview that moves.
import { areSameMarks, averageMarks, type FaceMarkName } from "../../src/face/portrait/face-marks.ts";
import { RequestError } from "../shared/request-error.ts";
import { describeMark, explainProblem, FACE_PARTS, type FacePart, marksOf, partOf } from "./face-parts.ts";
import { FacePreview } from "./face-preview.ts";
import { KeptMarking } from "./kept-marking.ts";
import { MarkView } from "./mark-view.ts";
import { MarkedImage } from "./marked-image.ts";
import { Marking } from "./marking.ts";
import { type FaceMarking, MarksClient } from "./marks-client.ts";

const INCOMPLETE = "This link is incomplete. Open it exactly as you received it, or ask for it again.";
const REFUSED = "This link does not work any more. Ask for a new one where you got it.";
const WHOLE_HINT = "Does the preview move well? If not, drag the whole face, or tap a part of it.";
const MAKING_HINT = "Thank you. The face is being made from your marks.";
const READY_HINT = "The face is ready.";
/** Between two looks at what becomes of the face, ms, and at most after looks that failed. */
const POLL_MS = 1500;
const LONGEST_RETRY_MS = 30_000;
/** Failures of the connection or the service, which may pass. */
const PASSING = ["NETWORK", "RATE_LIMITED", "SERVICE_UNAVAILABLE", "INTERNAL_ERROR", "BAD_ANSWER"];

const code = decodeURIComponent(location.pathname.split("/").at(-1) ?? "");
const isFramed = window.parent !== window;
const address = new URL(`${location.pathname.replace(/\/+$/, "")}/marks`, location.href);
const client = new MarksClient(address, location.hash.slice(1));

let stage: MarkedImage | undefined;
let preview: FacePreview | undefined;
let marking: Marking | undefined;
let kept: KeptMarking | undefined;
let part: FacePart | undefined;
let selected: FaceMarkName | undefined;

const view = new MarkView(
  {
    again: () => location.reload(),
    undo: () => marking?.undo(),
    redo: () => marking?.redo(),
    zoom: (isLarger) => stage?.zoom(isLarger),
    fit: () => stage?.fit(),
    nudge: (byX, byY) => stage?.nudge(byX, byY),
    turn: (steps, larger) => stage?.turn(steps, larger),
    restart: () => {
      openPart(undefined);
      marking?.restart();
    },
    placeTap: () => stage?.tapAtCrosshair(),
    openPart,
    select,
    confirm,
    confirmPart,
    play: (isPlaying) => preview?.play(isPlaying),
    save: () => void save(),
  },
  { isFramed },
);
window.addEventListener("hashchange", () => location.reload());
void open();

async function open(): Promise<void> {
  if (location.hash.length < 2) return view.showBroken(INCOMPLETE, { canRepeat: false });
  try {
    const face = await client.load();
    openPreview(face);
    if (face.state === "marking") begin(face);
    else await follow(face);
  } catch (error) {
    const isRefused = error instanceof RequestError && error.code === "FORBIDDEN";
    view.showBroken(isRefused ? REFUSED : messageOf(error), { canRepeat: !isRefused });
  }
}

function begin(face: FaceMarking): void {
  const { imageUrl, widthPx, heightPx, marks } = face;
  // An average face in the middle of the image means that the service saw none.
  const guess = marks && areSameMarks(marks, averageMarks(face)) ? null : marks;
  marking = new Marking({ image: { widthPx, heightPx }, guess, onChange: show });
  kept = new KeptMarking({ storage: () => localStorage, portrait: new URL(imageUrl).pathname });
  stage = new MarkedImage(face, {
    tap,
    aim: () => view.showCrosshair(true),
    select,
    move: (name, to) => marking?.move(name, to),
    shift: (byX, byY) => marking?.shift(byX, byY),
    turn: (angleRad, scale) => marking?.turn(angleRad, scale),
    confirm,
    hold: () => marking?.hold(),
    release: () => marking?.release(),
  });
  const before = kept.read();
  if (before) marking.resume(before);
  else show();
}

function openPreview({ imageUrl }: FaceMarking): void {
  preview = new FacePreview({
    canvas: document.querySelector<HTMLCanvasElement>("#preview-canvas")!,
    imageUrl,
    onState: (state) => view.showPreview(state),
  });
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) view.setPlaying(false);
}

/** Shows what is placed, and keeps it. */
function show(): void {
  if (!marking || !stage) return;
  const { state, nextTap, left, marks } = marking;
  kept?.write(state);
  view.showSteps(marking);
  if (nextTap) {
    [part, selected] = [undefined, undefined];
    view.showTap(nextTap);
    preview?.show(null);
  } else {
    const [problem] = marking.problems;
    view.show("checking", part && selected ? `${describeMark(selected)}.` : WHOLE_HINT);
    view.showChecks({ part, selected, left, problem: problem ? explainProblem(problem) : "" });
    preview?.show(problem ? null : marks);
  }
  stage.show({ ...state, part, selected, isChecked: (name) => state.checked.includes(name) });
}

function tap(at: { x: number; y: number }): void {
  if (!marking?.nextTap) return;
  const problem = marking.tap(at);
  if (problem) view.showTap(marking.nextTap, problem);
  else stage?.focusSelected();
}

function openPart(wanted: FacePart | undefined): void {
  part = wanted;
  const names = wanted ? marksOf(wanted) : [];
  selected = names.find((name) => marking?.left.includes(name)) ?? names[0];
  show();
}

function select(name: FaceMarkName): void {
  part = partOf(name);
  selected = name;
  show();
}

/** The selected point lies right: goes on to the next that is left. */
function confirm(): void {
  if (!marking || !selected) return;
  marking.check([selected]);
  goOn();
}

function confirmPart(): void {
  if (!marking || !part) return;
  marking.check(marksOf(part));
  goOn();
}

/** To the next point that is left: of this part, or else of the next one; to the whole face after the last. */
function goOn(): void {
  const left = marking?.left ?? [];
  const own = part ? marksOf(part).find((name) => left.includes(name)) : undefined;
  const next = own ?? FACE_PARTS.flatMap(marksOf).find((name) => left.includes(name));
  if (next) select(next);
  else openPart(undefined);
  stage?.focusSelected();
}

async function save(): Promise<void> {
  const marks = marking?.marks;
  if (!marks) return;
  view.show("making", "Sending the marks …");
  try {
    await client.save(marks);
  } catch (error) {
    show();
    view.say(messageOf(error));
    return;
  }
  kept?.forget();
  tellParent("placed");
  try {
    await follow(await client.load());
  } catch (error) {
    view.show("failed", `${messageOf(error)} Your marks are stored: load this page again to see the face.`);
  }
}

/** Shows what becomes of the face until it is there. Throws RequestError if the service refuses to say. */
async function follow(face: FaceMarking): Promise<void> {
  preview?.show(face.marks);
  let latest = face;
  while (latest.state === "making") {
    view.show("making", MAKING_HINT);
    view.showMade(latest.progress, undefined);
    latest = await loadLater();
  }
  if (latest.state === "failed") {
    view.show("failed", `The face could not be made. ${latest.problem || "Try another picture."}`);
  } else if (latest.state === "marking") begin(latest);
  else {
    view.show("ready", READY_HINT);
    // Framed, the page around this one goes on by itself.
    if (!isFramed) view.showMade(1, new URL(`../#agent=${encodeURIComponent(code)}`, location.href).href);
    tellParent("ready");
  }
}

/** The next look at the face. A service that can't answer now is asked again. */
async function loadLater(): Promise<FaceMarking> {
  for (let delayMs = POLL_MS; ; ) {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    try {
      return await client.load();
    } catch (error) {
      if (!(error instanceof RequestError && PASSING.includes(error.code))) throw error;
      view.say(`${error.message} This page asks again.`);
      delayMs = Math.min(LONGEST_RETRY_MS, Math.max(2 * delayMs, 1000 * (error.retryAfterSeconds ?? 0)));
    }
  }
}

/** The start page shows this page in a frame. */
function tellParent(state: "placed" | "ready"): void {
  if (isFramed) window.parent.postMessage({ type: "face-marks", state, code }, location.origin);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
