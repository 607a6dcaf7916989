// The page that tries realtime calls: a face beside the call, its turns, its events, and the call as code.
import { Access } from "../shared/access.ts";
import { CodeView, type Language } from "../shared/code/code-view.ts";
import { deviceProblem } from "../shared/device-problem.ts";
import { findElement } from "../shared/find-element.ts";
import { followLevel } from "../shared/follow-level.ts";
import { fetchSampleFaces, type SampleFace } from "../shared/sample-faces.ts";
import { sendRequest } from "../shared/send-request.ts";
import { followViewport } from "../shared/stage/follow-viewport.ts";
import { Stage, type StageState } from "../shared/stage/stage.ts";
import { openTabStorage } from "../shared/tab-storage.ts";
import { callCode } from "./call-code.ts";
import { CallFace } from "./call-face.ts";
import { type CallTurn, withTurnEvent } from "./call-turns.ts";
import { EventList } from "./event-list.ts";
import { RealtimeCall, type RealtimeEvent } from "./realtime-call.ts";
import { RealtimeView } from "./realtime-view.ts";
import { type SaidLine, withEvent } from "./said-lines.ts";
import { TurnBars } from "./turn-bars.ts";

/** How often the clock and the bar of the turn that goes on are drawn anew. */
const REDRAW_MS = 250;
/** Events of the page that the code repeats. */
const MOST_SENT = 20;
const STATES: Readonly<Record<CallTurn["phase"], StageState>> = {
  hearing: "listening",
  thinking: "thinking",
  speaking: "speaking",
  over: "listening",
};

const base = new URL("./", location.href.replace(/[?#].*$/, ""));
const access = new Access({ base, storage: openTabStorage(() => sessionStorage) });
const events = new EventList();
const bars = new TurnBars();
const view = new RealtimeView({
  useSecret: (secret) => void useSecret(secret),
  talk: () => void talk(),
  hangUp: () => void call?.hangUp(),
  setMuted: (isMuted) => {
    if (call) call.isMuted = isMuted;
  },
  type: (text) => type(text),
  chooseFace: (id) => void showFace(avatars.find((avatar) => avatar.id === id)),
  changed: () => showCode(),
});
const stage = new Stage({
  host: findElement("stage", HTMLElement),
  transcript: view.transcript,
  composer: view.composer,
});
stage.setTranscript("open");
const face = new CallFace(stage, view.voice);
const code = new CodeView((chosen) => {
  language = chosen;
  showCode();
});

let avatars: readonly SampleFace[] = [];
let call: RealtimeCall | undefined;
let lines: readonly SaidLine[] = [];
let turns: readonly CallTurn[] = [];
let sent: readonly RealtimeEvent[] = [];
let language: Language = "typescript";
let startMs = 0;

findElement("code", HTMLElement).append(code.element);
followViewport();
showCode();
// A call must not go on behind a page that was closed.
window.addEventListener("pagehide", () => void call?.hangUp());
void openAccess();
void openFaces();

async function openAccess(): Promise<void> {
  try {
    await admit(await access.open());
  } catch (error) {
    await admit(false);
    view.showAccessProblem(messageOf(error));
  }
}

async function useSecret(secret: string): Promise<void> {
  try {
    await access.useSecret(secret, { isKept: false });
    view.showAccessProblem("");
    await admit(true);
  } catch (error) {
    view.showAccessProblem(messageOf(error));
  }
}

async function admit(isAdmitted: boolean): Promise<void> {
  view.showAccess(!isAdmitted);
  if (!isAdmitted) return;
  const { models } = await sendRequest(new URL("realtime/models", base), { headers: await access.headers() });
  const known = models as { name: string; is_own: boolean }[];
  view.showModels(known.map(({ name, is_own: isOwn }) => ({ name, isOwn })));
}

async function openFaces(): Promise<void> {
  try {
    avatars = await fetchSampleFaces(base);
    view.showFaces(avatars);
    await showFace(avatars[0]);
  } catch (error) {
    showFaceProblem(messageOf(error), () => void openFaces());
  }
}

async function showFace(avatar: SampleFace | undefined): Promise<void> {
  if (!avatar) return;
  try {
    stage.showNotice(undefined);
    await face.show(avatar);
  } catch {
    showFaceProblem("This browser did not open the face.", () => void showFace(avatar));
  }
}

function showFaceProblem(text: string, act: () => void): void {
  stage.showNotice({
    title: "The face stands still",
    text: `${text} You can talk without it.`,
    actions: [{ label: "Try again", act }],
  });
}

async function talk(): Promise<void> {
  face.wake();
  view.showProblem("");
  view.showState("connecting", "Connecting …");
  stage.setState("waiting");
  events.clear();
  showLines([]);
  turns = [];
  sent = [];
  startMs = performance.now();
  bars.show(turns, 0);
  showCode();
  const { model, instructions } = view;
  let clock: ReturnType<typeof setInterval> | undefined;
  let stopLevel: () => void = () => undefined;
  let hasMicrophone = true;
  const begun = new RealtimeCall({
    base,
    model,
    headers: () => access.headers(),
    onMicrophone: (stream) => {
      void face.hear(stream);
      stopLevel = followLevel(stream.getAudioTracks()[0], (level) => {
        view.showLevel(level);
        stage.setLevel(level);
      });
    },
    onNoMicrophone: (error) => {
      hasMicrophone = false;
      view.showProblem(microphoneProblem(error));
    },
    onAudio: (stream) => void face.follow(stream),
    onEvent: (direction, event) => note(direction, event),
    onOpen: () => {
      const hint = hasMicrophone ? "Speak now. You can interrupt at any time." : "Type a message.";
      view.showState("open", hint, hasMicrophone);
      stage.setState("listening");
      face.listening(true);
      startMs = performance.now();
      clock = setInterval(redraw, REDRAW_MS);
      if (instructions !== "") begun.send({ type: "session.update", session: { type: "realtime", instructions } });
    },
    onEnded: () => {
      clearInterval(clock);
      stopLevel();
      if (call !== begun) return;
      call = undefined;
      face.rest();
      stage.setState("idle");
      bars.show(turns, sinceStart());
      view.showState("idle", "The call is over.");
    },
  });
  call = begun;
  try {
    await begun.start();
  } catch (error) {
    view.showState("idle", "");
    view.showProblem(messageOf(error));
  }
}

function note(direction: "in" | "out", event: RealtimeEvent): void {
  const atMs = sinceStart();
  events.add(direction, event, atMs);
  showLines(withEvent(lines, event));
  showTurns(withTurnEvent(turns, direction, event, atMs), atMs);
  if (direction === "out") {
    sent = [...sent, event].slice(-MOST_SENT);
    showCode();
  }
  // Of what was cut off, some has arrived and waits for its frames.
  if (event.type === "input_audio_buffer.speech_started" || event.type === "output_audio_buffer.cleared")
    face.interrupt();
  if (direction === "in" && event.type === "error") {
    const { error } = event as { error?: { message?: string } };
    view.showProblem(error?.message ?? "");
  }
}

function type(text: string): void {
  call?.send({
    type: "conversation.item.create",
    item: { type: "message", role: "user", content: [{ type: "input_text", text }] },
  });
  call?.send({ type: "response.create" });
}

function showTurns(next: readonly CallTurn[], atMs: number): void {
  if (next === turns) return;
  turns = next;
  bars.show(turns, atMs);
  const phase = turns.at(-1)?.phase ?? "over";
  stage.setState(STATES[phase]);
  face.listening(phase === "hearing");
  face.thinking(phase === "thinking");
}

function showLines(next: readonly SaidLine[]): void {
  if (next === lines) return;
  lines = next;
  view.showLines(lines);
  stage.showCaption(lines.findLast(({ speaker, text }) => speaker === "model" && text !== "")?.text);
}

function showCode(): void {
  const { model, instructions } = view;
  const update = { type: "session.update", session: { type: "realtime", instructions } };
  const planned = sent.length > 0 || instructions === "" ? sent : [update];
  code.show(callCode({ base, model, sent: planned }, language), language);
}

function redraw(): void {
  const nowMs = sinceStart();
  const seconds = Math.floor(nowMs / 1000);
  view.showStatus(`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`);
  if (turns.at(-1)?.phase !== "over") bars.show(turns, nowMs);
}

function sinceStart(): number {
  return performance.now() - startMs;
}

function microphoneProblem(error: unknown): string {
  return deviceProblem("microphone", error instanceof Error ? error.name : undefined, isSecureContext);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
