// The page that tries realtime calls.
import { Access } from "../shared/access.ts";
import { deviceProblem } from "../shared/device-problem.ts";
import { RequestError } from "../shared/request-error.ts";
import { EventList } from "./event-list.ts";
import { RealtimeCall, type RealtimeEvent } from "./realtime-call.ts";
import { RealtimeView } from "./realtime-view.ts";
import { type SaidLine, withEvent } from "./said-lines.ts";

const base = new URL("./", location.href.replace(/[?#].*$/, ""));
const access = new Access({ base, storage: sessionStorage });
const events = new EventList();
const view = new RealtimeView({
  useSecret: (secret) => void useSecret(secret),
  talk: (choice) => void talk(choice),
  hangUp: () => void call?.hangUp(),
  setMuted: (isMuted) => {
    if (call) call.isMuted = isMuted;
  },
  type: (text) => type(text),
});

let call: RealtimeCall | undefined;
let lines: readonly SaidLine[] = [];
let clock: ReturnType<typeof setInterval> | undefined;

// A call must not go on behind a page that was closed.
window.addEventListener("pagehide", () => void call?.hangUp());
void open();

async function open(): Promise<void> {
  try {
    view.showAccess(!(await access.open()));
  } catch (error) {
    view.showAccess(true);
    view.showAccessProblem(messageOf(error));
  }
}

async function useSecret(secret: string): Promise<void> {
  try {
    await access.useSecret(secret, { isKept: false });
    view.showAccessProblem("");
    view.showAccess(false);
  } catch (error) {
    view.showAccessProblem(messageOf(error));
  }
}

async function talk({ model, instructions }: { model: string; instructions: string }): Promise<void> {
  view.showProblem("");
  view.showState("connecting", "Connecting …");
  events.clear();
  showLines([]);
  const begun = new RealtimeCall({
    base,
    model,
    headers: () => access.headers(),
    onAudio: (stream) => {
      view.answer.srcObject = stream;
    },
    onEvent: (direction, event) => note(direction, event),
    onOpen: () => {
      view.showState("open", "Speak now. You can interrupt at any time.");
      countTime();
      if (instructions !== "") begun.send({ type: "session.update", session: { type: "realtime", instructions } });
    },
    onEnded: () => {
      clearInterval(clock);
      if (call !== begun) return;
      call = undefined;
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
  events.add(direction, event);
  showLines(withEvent(lines, event));
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

function showLines(next: readonly SaidLine[]): void {
  if (next === lines) return;
  lines = next;
  view.showLines(lines);
}

function countTime(): void {
  const startMs = performance.now();
  clock = setInterval(() => {
    const seconds = Math.floor((performance.now() - startMs) / 1000);
    view.showStatus(`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`);
  }, 1_000);
}

function messageOf(error: unknown): string {
  if (error instanceof RequestError) return error.message;
  return deviceProblem("microphone", error instanceof Error ? error.name : undefined, isSecureContext);
}
