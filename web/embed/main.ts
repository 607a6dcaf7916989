// The embed page: one visitor in front of one avatar.
import { deviceProblem } from "../shared/device-problem.ts";
import { tellFrameOwner } from "../shared/frame-messages.ts";
import { AvatarRoom } from "./avatar-room.ts";
import { CaptionLine } from "./caption-line.ts";
import { type AnswerSource, answerSourceNote, cameraNote, parseAnswerSource } from "./conversation-words.ts";
import { EmbedClient, EmbedRequestError } from "./embed-client.ts";
import { keepToken, takeToken } from "./embed-token.ts";
import { nextState, type PageEvent, type PageState } from "./page-state.ts";
import { PageView } from "./page-view.ts";
import { noticeForCode, noticeForReason, sayProblem } from "./plain-words.ts";
import { TabValues } from "./tab-values.ts";
import { EMPTY_TRANSCRIPT, type SpokenWords, type Transcript, withoutInterim, withWords } from "./transcript.ts";
import { TranscriptView } from "./transcript-view.ts";

/** What the visitor was saying leaves the page after this long without another word of it, ms: it was no word. */
const INTERIM_MS = 6_000;
const TALKING = "Speak now. You can interrupt at any time.";

const address = takeToken(location.href);
history.replaceState(history.state, "", address.cleanAddress);

let state: PageState = { name: "connecting" };
let room: AvatarRoom | undefined;
let areCaptionsOn = true;
let answerSource: AnswerSource | undefined;
let transcript: Transcript = EMPTY_TRANSCRIPT;
let interimTimer: ReturnType<typeof setTimeout> | undefined;
let typedCount = 0;
let isCameraOn = false;
/** `avatar_camera`. */
let cameraView: string | undefined;

const tab = new TabValues({ openStorage: () => sessionStorage, history });
const token = keepToken(address, tab);
const client = token === undefined ? undefined : new EmbedClient(location.href, token, tab.tabId());
const view = new PageView({
  say: (text) => void say(text),
  hear: () => void room?.startAudio(),
  retry: () => {
    apply({ type: "retry" });
    void start();
  },
  setMuted: (isMuted) => {
    view.audio.muted = isMuted;
  },
  setCaptions: (areOn) => {
    areCaptionsOn = areOn;
    if (!areOn) captionLine.clear();
  },
  setMicrophone: (isOn) => void setMicrophone(isOn),
  setCamera: (isOn) => void setCamera(isOn),
});
const transcriptView = new TranscriptView();
const captionLine = new CaptionLine({ show: (text) => view.showCaption(text) });

void start();

async function start(): Promise<void> {
  view.showState(state);
  if (!client) {
    apply({ type: "ended", notice: noticeForReason("no-token") });
    return;
  }
  await room?.close();
  const joining = makeRoom();
  room = joining;
  try {
    const session = await client.startSession();
    view.showSession(session);
    view.showTypingMode("ask");
    transcriptView.setName(session.agentName);
    await joining.join(session.livekitUrl, session.livekitToken);
  } catch (error) {
    await joining.close();
    apply({ type: "ended", notice: noticeForCode(error instanceof EmbedRequestError ? error.code : "NETWORK") });
  }
}

function makeRoom(): AvatarRoom {
  return new AvatarRoom({
    videoElement: view.video,
    audioElement: view.audio,
    onFrame: () => {
      apply({ type: "frame-shown" });
      tellFrameOwner({ avatar: "live" });
    },
    onConnectionLost: () => apply({ type: "connection-lost" }),
    // A session that runs is found again; one that has ended is followed by another in the same room.
    onAvatarAbsent: () => void client?.startSession().catch(() => undefined),
    onAvatarLost: () => apply({ type: "avatar-lost" }),
    onEnded: (reason) => apply({ type: "ended", notice: noticeForReason(reason) }),
    onAudioBlocked: (isBlocked) => view.showHear(isBlocked),
    onMicrophoneAllowed: (isAllowed) => view.showMicrophone(isAllowed),
    onWords: (words) => showWords(words),
    onCameraLost: () => showCamera(null),
    onAvatar: ({ agentState, answerSource: name, foundModel, camera }) => {
      view.showActivity(state.name === "live" ? agentState : undefined);
      answerSource = parseAnswerSource(name);
      view.showAnswerSource(answerSourceNote(answerSource, foundModel));
      view.showCamera(answerSource === "model");
      cameraView = camera;
      view.showCameraNote(isCameraOn ? cameraNote(cameraView) : undefined);
    },
  });
}

function apply(event: PageEvent): void {
  state = nextState(state, event);
  if (state.name !== "live") view.showActivity(undefined);
  if (state.name === "ended") {
    captionLine.clear();
    view.setMicrophonePressed(false);
    showCamera(null);
    showTranscript(withoutInterim(transcript));
  }
  view.showState(state);
}

function showWords(words: SpokenWords): void {
  if (words.speaker === "avatar") {
    tellFrameOwner({ avatar: "spoke" });
    view.showSending(false);
    if (areCaptionsOn) captionLine.update(words.segmentId, words.text);
  }
  showTranscript(withWords(transcript, words));
}

function showTranscript(next: Transcript): void {
  if (next === transcript) return;
  transcript = next;
  transcriptView.show(transcript);
  clearTimeout(interimTimer);
  if (transcript.interim === "") return;
  interimTimer = setTimeout(() => showTranscript(withoutInterim(transcript)), INTERIM_MS);
}

async function say(text: string): Promise<void> {
  // Pressing the button is the tap that browsers ask for before they play audio.
  void room?.startAudio();
  view.clearText(text);
  view.showSending(true);
  try {
    await client?.say(text);
    showWords({ speaker: "visitor", segmentId: `typed-${++typedCount}`, text, isFinal: true });
  } catch (error) {
    const problem = error instanceof EmbedRequestError ? error : new EmbedRequestError("NETWORK");
    view.showSending(false);
    view.showHint(sayProblem(problem.code, problem.retryAfterSeconds));
  }
}

async function setMicrophone(isOn: boolean): Promise<void> {
  void room?.startAudio();
  try {
    await room?.setMicrophone(isOn);
    view.showHint(isOn ? TALKING : "");
  } catch (error) {
    // Refused by the visitor or by the browser; either way it stays off.
    view.setMicrophonePressed(false);
    const name = error instanceof Error ? error.name : undefined;
    view.showHint(deviceProblem("microphone", name, isSecureContext));
  }
}

async function setCamera(isOn: boolean): Promise<void> {
  try {
    showCamera((await room?.setCamera(isOn)) ?? null);
    view.showHint("");
  } catch (error) {
    showCamera(null);
    view.showHint(deviceProblem("camera", error instanceof Error ? error.name : undefined, isSecureContext));
  }
}

function showCamera(track: MediaStreamTrack | null): void {
  isCameraOn = track !== null;
  view.showSelf(track);
  view.showCameraNote(isCameraOn ? cameraNote(cameraView) : undefined);
}
