// The embed page: one visitor in front of one avatar.
import type { ExpressionName } from "../../shared/expressions.ts";
import { type HostMessage, readPlace } from "../../shared/widget-messages.ts";
import { tellFrameOwner } from "../shared/frame-messages.ts";
import { RequestError } from "../shared/request-error.ts";
import { RetryCountdown } from "../shared/retry-countdown.ts";
import { followViewport } from "../shared/stage/follow-viewport.ts";
import type { AvatarAttributes, AvatarRoom } from "./avatar-room.ts";
import { CaptionLine } from "./caption-line.ts";
import { lengthInWords } from "./conversation-summary.ts";
import { answerSourceNote, parseAnswerSource, type TypingMode } from "./conversation-words.ts";
import { type Credential, fixedToken, posterAddress, sharedAgentOf, visitOf } from "./credential.ts";
import { EmbedClient } from "./embed-client.ts";
import { keepToken, takeToken } from "./embed-token.ts";
import { Gadget } from "./gadget.ts";
import { HeardDelay } from "./heard-delay.ts";
import { KeptTranscript } from "./kept-transcript.ts";
import { readLook } from "./look-parameters.ts";
import { sendsNoMedia } from "./media-path.ts";
import { OwnDevices } from "./own-devices.ts";
import { PageLook } from "./page-look.ts";
import { nextState, type PageEvent, type PageState, stageState } from "./page-state.ts";
import { type KeyOptions, PageView } from "./page-view.ts";
import { type Notice, noticeForCode, noticeForReason, sayProblem } from "./plain-words.ts";
import { showTexts } from "./show-texts.ts";
import { streamOffer } from "./stream-offer.ts";
import { TabValues } from "./tab-values.ts";
import { TalkMeter } from "./talk-meter.ts";
import { languageOf, loadEmbedTexts } from "./texts/load-embed-texts.ts";
import type { SpokenWords } from "./transcript.ts";
import { ViewerFace } from "./viewer-face.ts";

/** After so many tries in a row the page waits for the visitor. */
const MAX_TRIES = 60;

/** Texts that wait for the avatar. */
const MAX_WAITING_TEXTS = 5;

const address = takeToken(location.href);
history.replaceState(history.state, "", address.cleanAddress);
followViewport();

let state: PageState = { name: "connecting", isRetry: false };
let room: AvatarRoom | undefined;
let avatarName = "Avatar";
let avatar: Partial<AvatarAttributes> = {};
let playback: HeardDelay | undefined;
let typedCount = 0;
let tryCount = 0;
/** When the first frame of this conversation was shown, ms of `performance.now`. */
let liveSinceMs: number | undefined;

// Needed for the first frame, not for the first look at the page.
const roomModule = import("./avatar-room.ts");
const texts = await loadEmbedTexts(languageOf(location.href, navigator.languages));
showTexts(texts);
const tab = new TabValues({ openStorage: () => sessionStorage, history, place: readPlace(location.hash) });
const gadget = Gadget.open({ onMessage: (message) => hear(message) });
const look = readLook(location.href);
const sharedAgent = sharedAgentOf(location.href);
/** Shown before the visitor has a token, and also if they get none. */
const sharedPoster = sharedAgent && posterAddress(location.href, sharedAgent);
const credential = credentialOf(keepToken(address, tab));
const client = credential && new EmbedClient(location.href, credential, tab.tabId());
const view = new PageView(texts, {
  say: (text, mode) => void say(text, mode),
  hear: () => void room?.startAudio(),
  retry,
  end: () => void end(),
  setMuted: (isMuted) => view.setMuted(isMuted),
  onSize: (ratio, hasLabel) => gadget?.showSize(ratio, hasLabel),
  setMicrophone: (isOn) => void devices.setMicrophone(isOn),
  setCamera: (isOn) => void devices.setCamera(isOn),
  playGesture,
  setMood,
  takeVideo: () => void face?.takeVideo(),
  keepFace: () => face?.keep(),
});
const devices = new OwnDevices(texts, {
  view,
  room: () => room,
  cameraUse: () => avatar.camera,
  onMicrophone: showActivity,
  onMicrophoneProblem: (problem) => gadget?.showError("MICROPHONE", problem),
});
const face =
  client &&
  new ViewerFace({
    render: client.render,
    get token() {
      return client.token;
    },
    showCanvas: (canvas) => view.showFace(canvas),
    showVideo: () => view.showFace(view.video),
    showStill: () => {
      if (state.name === "connecting") view.revealFace();
    },
    setRatio: (ratio) => view.setRatio(ratio),
    showProgress,
    offer: (reason, fps) => view.showOffer(reason && streamOffer(texts, reason, fps)),
    onRefused: (code) => void leave(noticeForCode(texts, code)),
  });
const ownLook = maySpeakForOwner() ? look : { ...look, welcome: "", questions: [], greeting: "" };
const pageLook = new PageLook(ownLook, { ask: (question) => void say(question, "ask") });
/** What the avatar is to say first; empty once it was sent. */
let { greeting } = ownLook;
const waitingTexts: { text: string; mode: TypingMode }[] = [];
const transcript = new KeptTranscript(texts, { say: (text) => view.showWait(text) });
const meter = new TalkMeter({ tell: tellFrameOwner });
const captionLine = new CaptionLine({ show: (text) => view.showCaption(text) });
const countdown = new RetryCountdown({
  onSecond: (leftS) => view.showWait(texts.retry.wait(leftS)),
  onEnd: retry,
});
window.addEventListener("online", () => {
  if (state.name === "ended" && state.notice.retryS !== undefined) retry();
});

view.showState(state);
view.showPoster(sharedPoster);
showActivity();
gadget?.send({ type: "ready" });
void describe();
void start();

/** Where the page's token comes from; undefined if it has none and can get none. */
function credentialOf(token: string | undefined): Credential | undefined {
  if (sharedAgent !== undefined) return visitOf(location.href, sharedAgent, tab.tabId());
  return gadget?.credential(token) ?? (token === undefined ? undefined : fixedToken(token));
}

/** A link to a public page could show words as the avatar's that its owner knows nothing of. A site that shows the page
 *  is one that the owner has named, and a token comes from the owner. */
function maySpeakForOwner(): boolean {
  return sharedAgent === undefined || window.parent !== window;
}

/** Does what the site around the page asks for. */
function hear(message: HostMessage): void {
  switch (message.type) {
    case "init":
      pageLook.showForm(message.form);
      pageLook.showModes(message.allowsModeSwitch);
      view.setTransparent(keyOptions(message)).catch(() => undefined);
      view.setMuted(message.isMuted);
      if (message.title !== "") view.setTitle(message.title);
      break;
    case "say":
      void say(message.text, message.mode);
      break;
    case "mute":
      view.setMuted(message.isMuted);
      break;
    case "theme":
      pageLook.showTheme(message.theme, message.colour);
      break;
    case "end":
      void end();
  }
}

/** Undefined: the face keeps its ground. */
function keyOptions(init: Extract<HostMessage, { type: "init" }>): KeyOptions | undefined {
  if (!init.isTransparent) return undefined;
  const { keyColour, keySimilarity, keySmoothness, keySpill, keyErode } = init;
  return {
    keyColour,
    similarity: keySimilarity,
    smoothness: keySmoothness,
    spill: keySpill,
    erodePx: keyErode,
  };
}

/** Shows whom the visitor meets. The session's answer tells the name too, so a failure changes nothing. */
async function describe(): Promise<void> {
  try {
    const agent = await client?.describeAgent();
    if (!agent) return;
    face?.expect(agent.bundle);
    view.showAgent({ ...agent, posterUrl: sharedPoster ?? agent.posterUrl });
    setName(agent.name);
  } catch {
    // The session's request fails for the same reason, and its notice says so.
  }
}

async function start(): Promise<void> {
  if (!client) return apply({ type: "ended", notice: noticeForReason(texts, "no-token") });
  await room?.close();
  room = undefined;
  let livekitUrl: string | undefined;
  meter.starts();
  try {
    const [session] = await Promise.all([client.startSession(greetingChoice()), face?.prepare()]);
    ({ livekitUrl } = session);
    meter.given(client.roomName);
    view.showSession(session);
    view.composer.showMode("ask");
    setName(session.agentName);
    room = await makeRoom();
    await face?.join(room, session);
    meter.joined();
  } catch (error) {
    await room?.close();
    const { code, retryAfterSeconds, topupUrl } = asRequestError(error);
    const hasNoPath = livekitUrl !== undefined && sendsNoMedia(livekitUrl, navigator.userAgent);
    const notice = hasNoPath ? noticeForReason(texts, "no-media-path") : noticeForCode(texts, code, retryAfterSeconds);
    meter.ended(hasNoPath ? "no-media-path" : code, topupUrl);
    apply({ type: "ended", notice });
  }
}

function retry(): void {
  countdown.stop();
  apply({ type: "retry" });
  if (state.name !== "connecting") return;
  // A service that restarted may have another picture of the same avatar.
  void describe();
  void start();
}

/** Leaves the room, so that the session ends. */
async function end(): Promise<void> {
  meter.ended("left");
  await leave(noticeForReason(texts, "left"));
}

async function leave(notice: Notice): Promise<void> {
  await room?.close();
  apply({ type: "ended", notice });
}

async function makeRoom(): Promise<AvatarRoom> {
  const { AvatarRoom } = await roomModule;
  return new AvatarRoom({
    videoElement: view.video,
    audioElement: view.audio,
    onFrame: () => {
      apply({ type: "frame-shown" });
      tellFrameOwner({ avatar: "live" });
    },
    onWatched: (needs, outcome) => face?.watched(needs, outcome),
    onMotion: (packet) => face?.move(packet),
    onAudio: (receiver) => {
      face?.follow(receiver);
      followPlayback(receiver);
    },
    onConnectionLost: () => apply({ type: "connection-lost" }),
    // A session that runs is found again; one that has ended is followed by another in the same room.
    onAvatarAbsent: () => void client?.startSession(greetingChoice()).catch(() => undefined),
    onAvatarLost: () => apply({ type: "avatar-lost" }),
    onEnded: (reason) => {
      meter.ended(reason);
      apply({ type: "ended", notice: noticeForReason(texts, reason) });
    },
    onAudioBlocked: (isBlocked) => view.showHear(isBlocked),
    onMicrophoneAllowed: (isAllowed) => view.composer.showMicrophone(isAllowed),
    onWords: (words) => {
      if (words.speaker === "visitor" && words.isFinal) meter.asked(words.text.trim());
      showWords(words);
    },
    onCameraLost: () => devices.showCamera(null),
    onMicrophoneLost: () => devices.showMicrophone(null),
    onAvatar: (attributes) => {
      avatar = attributes;
      meter.showState(avatar.agentState);
      gadget?.showAvatar(attributes);
      const answerSource = parseAnswerSource(avatar.answerSource);
      showActivity();
      view.showAnswerSource(answerSourceNote(texts, answerSource, avatar.foundModel));
      view.showCamera(answerSource === "model");
      devices.showCameraNote();
    },
  });
}

function apply(event: PageEvent): void {
  const before = state;
  state = nextState(state, event);
  if (state === before) return;
  if (state.name === "live") {
    liveSinceMs ??= performance.now();
    meter.frameShown();
    tryCount = 0;
    tellFrameOwner({ avatar: "live" });
    gadget?.send({ type: "live", agentName: avatarName.slice(0, 200) });
    greet();
  }
  view.showState(state);
  if (state.name === "ended") {
    face?.close();
    showEnd(state);
  }
  showActivity();
}

/** What the avatar says by itself: nothing where the address has its first words. */
function greetingChoice(): string {
  return greeting === "" ? (look.greetingLanguage ?? "own") : "none";
}

/** Once: what the address asks the avatar to say first, and what was said to it before it was there. */
function greet(): void {
  if (greeting !== "") void client?.say(greeting, "say").catch(() => undefined);
  greeting = "";
  for (const { text, mode } of waitingTexts.splice(0)) void say(text, mode);
}

function showEnd({ notice }: Extract<PageState, { name: "ended" }>): void {
  gadget?.showEnd(notice);
  captionLine.clear();
  devices.showMicrophone(null);
  devices.showCamera(null);
  avatar = { ...avatar, agentState: undefined };
  transcript.dropInterim();
  const lengthMs = liveSinceMs === undefined ? undefined : performance.now() - liveSinceMs;
  const isFinal = notice.retryS === undefined;
  if (isFinal) liveSinceMs = undefined;
  view.showEnd(notice, {
    summary: isFinal && lengthMs !== undefined ? texts.together(lengthInWords(texts, lengthMs)) : undefined,
    actions: transcript.actions(),
  });
  if (notice.retryS === undefined || tryCount >= MAX_TRIES) return;
  tryCount += 1;
  countdown.start(notice.retryS);
}

function setName(name: string): void {
  avatarName = name;
  transcript.setName(name);
}

/** How much of the avatar's file is there. */
function showProgress(share: number | undefined): void {
  if (state.name !== "connecting") return;
  // In steps, because screen readers say it.
  const percent = share === undefined ? undefined : 25 * Math.floor(4 * share);
  view.showActivity("waiting", percent === undefined ? undefined : texts.loading(percent));
}

function showActivity(): void {
  view.showActivity(stageState(state, avatar.agentState, devices.isMicrophoneOn));
}

function showWords(words: SpokenWords): void {
  gadget?.showWords(words);
  if (words.speaker === "avatar") {
    view.composer.showSending(false);
    captionLine.update(words.segmentId, words.text);
    if (words.isFinal) tellFrameOwner({ avatar: "spoke" });
  }
  transcript.add(words);
}

/** How long audio is held back, for the meter. */
function followPlayback(receiver: RTCRtpReceiver | undefined): void {
  playback?.close();
  playback =
    receiver &&
    new HeardDelay({
      stats: async () => (await receiver.getStats()).values(),
      onDelay: (delayMs) => meter.showDelay(delayMs),
    });
}

async function say(text: string, mode: TypingMode): Promise<void> {
  if (state.name === "connecting" || state.name === "reconnecting") {
    if (waitingTexts.length < MAX_WAITING_TEXTS) waitingTexts.push({ text, mode });
    return;
  }
  // Pressing the button is the tap that browsers ask for before they play audio.
  void room?.startAudio();
  view.composer.clearText(text);
  view.composer.showSending(true);
  pageLook.hideQuestions();
  const segmentId = `typed-${++typedCount}`;
  if (mode === "ask") meter.asked(text);
  try {
    await client?.say(text, mode);
    showWords({ speaker: "visitor", segmentId, text, isFinal: true });
  } catch (error) {
    const { code, retryAfterSeconds } = asRequestError(error);
    view.composer.showSending(false);
    const problem = sayProblem(texts, code, retryAfterSeconds);
    view.composer.showHint(problem);
    gadget?.showError(code, problem);
  }
}

async function playGesture(name: string): Promise<void> {
  void room?.startAudio();
  try {
    await room?.playGesture(name);
  } catch {
    view.composer.showHint(texts.gestureFailed);
  }
}

/** Whether the avatar shows it. */
async function setMood(emotion: ExpressionName | null): Promise<boolean> {
  void room?.startAudio();
  try {
    await room?.setMood(emotion);
    return true;
  } catch {
    view.composer.showHint(texts.moodFailed);
    return false;
  }
}

/** What is no answer of the service is the connection: the room could not be joined. */
function asRequestError(error: unknown): RequestError {
  return error instanceof RequestError ? error : new RequestError("NETWORK", String(error));
}
