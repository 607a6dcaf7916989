// The embed page: one visitor in front of one avatar.
import { AvatarRoom } from "./avatar-room.ts";
import { CaptionLine } from "./caption-line.ts";
import { EmbedClient, EmbedRequestError } from "./embed-client.ts";
import { takeToken } from "./embed-token.ts";
import { nextState, type PageEvent, type PageState } from "./page-state.ts";
import { PageView } from "./page-view.ts";
import { noticeForCode, noticeForReason, sayProblem } from "./plain-words.ts";

const { token, cleanAddress } = takeToken(location.href);
history.replaceState(history.state, "", cleanAddress);

let state: PageState = { name: "connecting" };
let room: AvatarRoom | undefined;
let areCaptionsOn = true;

const client = token === undefined ? undefined : new EmbedClient(location.href, token);
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
});
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
    view.showAgent(session.agentName, session.hasDisclosure);
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
    onFrame: () => apply({ type: "frame-shown" }),
    onConnectionLost: () => apply({ type: "connection-lost" }),
    // A session that runs is found again; one that has ended is followed by another in the same room.
    onAvatarAbsent: () => void client?.startSession().catch(() => undefined),
    onAvatarLost: () => apply({ type: "avatar-lost" }),
    onEnded: (reason) => apply({ type: "ended", notice: noticeForReason(reason) }),
    onAudioBlocked: (isBlocked) => view.showHear(isBlocked),
    onMicrophoneAllowed: (isAllowed) => view.showMicrophone(isAllowed),
    onCaption: (segmentId, text) => {
      view.showSending(false);
      if (areCaptionsOn) captionLine.update(segmentId, text);
    },
  });
}

function apply(event: PageEvent): void {
  state = nextState(state, event);
  if (state.name === "ended") captionLine.clear();
  view.showState(state);
}

async function say(text: string): Promise<void> {
  // Pressing the button is the tap that browsers ask for before they play audio.
  void room?.startAudio();
  view.clearText(text);
  view.showSending(true);
  try {
    await client?.say(text);
  } catch (error) {
    const problem = error instanceof EmbedRequestError ? error : new EmbedRequestError("NETWORK");
    view.showSending(false);
    view.showHint(sayProblem(problem.code, problem.retryAfterSeconds));
  }
}

async function setMicrophone(isOn: boolean): Promise<void> {
  try {
    await room?.setMicrophone(isOn);
  } catch {
    // Refused by the visitor or by the browser; either way it stays off.
    view.setMicrophonePressed(false);
    view.showHint("The browser did not open the microphone.");
  }
}
