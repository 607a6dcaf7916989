// The visitor's side of the room: joins, subscribes to the avatar's audio and to its video if the page needs it, passes
// on its motion, and reports events to the page.
import {
  DisconnectReason,
  LoggerNames,
  LogLevel,
  type RemoteParticipant,
  type RemoteTrack,
  type RemoteTrackPublication,
  Room,
  RoomEvent,
  setLogLevel,
  type TextStreamReader,
  Track,
} from "livekit-client";
import type { ExpressionName } from "../../shared/expressions.ts";
import type { WatchNeeds } from "../../shared/watch.ts";
import {
  ATTRIBUTE_AGENT_STATE,
  ATTRIBUTE_AVATAR_ERROR,
  ATTRIBUTE_CAMERA,
  ATTRIBUTE_FOUND_MODEL,
  ATTRIBUTE_MIND,
  ATTRIBUTE_TRANSCRIPTION_FINAL,
  ATTRIBUTE_TRANSCRIPTION_SEGMENT_ID,
  ATTRIBUTE_TRANSCRIPTION_TRACK_ID,
  RPC_SET_EMOTION,
  RPC_TRIGGER_DYNAMICS,
  TOPIC_MOTION,
  TOPIC_TRANSCRIPTION,
} from "../../shared/wire-names.ts";
import { AvatarWatch, type WatchOutcome } from "./avatar-watch.ts";
import type { EndReason } from "./plain-words.ts";
import type { SpokenWords } from "./transcript.ts";

/** The model gets images of at most 1,024 px, and few of them. */
const CAMERA_RESOLUTION = { width: 1_024, height: 576, frameRate: 10 };
/** Timeout for the avatar to appear after joining, and to return after it was lost, in ms. */
const AVATAR_TIMEOUT_MS = 30_000;
/** Times after joining at which the page asks for the avatar again if it is not in the room, in ms. The session that
 *  the page was given may have been about to end. */
const ABSENCE_CHECKS_MS = [3_000, 8_000];
/** Without motion for so long, the avatar is told again that this page needs it, in ms. */
const MOTION_GAP_MS = 3_000;

export interface AvatarRoomOptions {
  videoElement: HTMLVideoElement;
  audioElement: HTMLAudioElement;
  /** The face is shown and moves: by video, or as `faceShown` said. */
  onFrame(): void;
  /** What the avatar answered to what the page needs; also when it came back, and when it is another. */
  onWatched(needs: WatchNeeds, outcome: WatchOutcome): void;
  /** A packet of the avatar's motion. */
  onMotion(packet: Uint8Array): void;
  /** What receives the avatar's audio; undefined if nothing does any more. */
  onAudio(receiver: RTCRtpReceiver | undefined): void;
  /** The connection was lost and is being restored. */
  onConnectionLost(): void;
  /** No avatar is in the room yet: the session may have ended before the visitor came. */
  onAvatarAbsent(): void;
  /** The avatar left; another worker may take over. */
  onAvatarLost(): void;
  /** The stay has ended. Called once. */
  onEnded(reason: EndReason): void;
  /** Whether the browser needs a tap before it plays audio. */
  onAudioBlocked(isBlocked: boolean): void;
  /** Whether the visitor may speak in this room. */
  onMicrophoneAllowed(isAllowed: boolean): void;
  /** The visitor's camera or microphone is off, because the browser or its device ended it. */
  onCameraLost(): void;
  onMicrophoneLost(): void;
  /** Words of the visitor as they were understood, or of the avatar as they are heard. Interim texts of a segment
   *  replace each other. */
  onWords(words: SpokenWords): void;
  /** The avatar's own word on what it does and what answers. */
  onAvatar(attributes: AvatarAttributes): void;
}

export interface AvatarAttributes {
  /** `lk.agent.state`. */
  agentState: string | undefined;
  /** `avatar_mind`. */
  answerSource: string | undefined;
  /** `avatar_found_model`. */
  foundModel: string | undefined;
  /** `avatar_camera`. */
  camera: string | undefined;
}

/** One stay in one room. After `close()` or `onEnded` it cannot be used again. */
export class AvatarRoom {
  readonly #options: AvatarRoomOptions;
  readonly #room = new Room({ adaptiveStream: false, disconnectOnPageLeave: true });
  #avatarTimer: ReturnType<typeof setTimeout> | undefined;
  #absenceTimers: ReturnType<typeof setTimeout>[] = [];
  #motionTimer: ReturnType<typeof setInterval> | undefined;
  #motionAtMs = 0;
  #needs: WatchNeeds = "video";
  /** Whether the room subscribes to whatever is published. */
  #subscribesAll = true;
  #hasLocalFace = false;
  #isOver = false;
  readonly #watch = new AvatarWatch({
    call: (method, payload, responseTimeout) => {
      const destinationIdentity = this.#findAvatar()?.identity;
      const { localParticipant } = this.#room;
      return destinationIdentity === undefined || this.#isOver
        ? undefined
        : localParticipant.performRpc({ destinationIdentity, method, payload, responseTimeout });
    },
    hasTracks: () => (this.#findAvatar()?.trackPublications.size ?? 0) > 0,
  });

  constructor(options: AvatarRoomOptions) {
    this.#options = options;
    // At its usual level the library writes room names and join requests to the visitor's console.
    setLogLevel(LogLevel.warn);
    // Its engine reports an error when a server that ends a room closes the data channels first. What matters of it
    // comes as events.
    setLogLevel(LogLevel.silent, LoggerNames.Engine);
    this.#room
      .on(RoomEvent.TrackSubscribed, (track) => this.#attach(track))
      .on(RoomEvent.TrackUnsubscribed, (track) => this.#detach(track))
      .on(RoomEvent.TrackSubscriptionFailed, () => this.#end("no-video-format"))
      .on(RoomEvent.ParticipantDisconnected, (participant) => this.#missAvatar(participant))
      .on(RoomEvent.SignalReconnecting, () => options.onConnectionLost())
      .on(RoomEvent.Reconnecting, () => options.onConnectionLost())
      .on(RoomEvent.Reconnected, () => {
        this.#reportFrame();
        void this.#tellNeeds();
      })
      .on(RoomEvent.TrackPublished, (publication) => this.#subscribe(publication))
      .on(RoomEvent.DataReceived, (packet, participant, _kind, topic) => {
        if (topic === TOPIC_MOTION && participant?.isAgent) this.#takeMotion(packet);
      })
      .on(RoomEvent.AudioPlaybackStatusChanged, () => options.onAudioBlocked(!this.#room.canPlaybackAudio))
      .on(RoomEvent.ParticipantPermissionsChanged, () => this.#reportMicrophone())
      .on(RoomEvent.ParticipantConnected, (participant) => {
        this.#reportAvatar();
        if (participant.isAgent) void this.#tellNeeds();
      })
      .on(RoomEvent.ParticipantAttributesChanged, (changed) => {
        if (changed[ATTRIBUTE_AVATAR_ERROR]) this.#end("avatar-failed");
        this.#reportAvatar();
      })
      .on(RoomEvent.LocalTrackUnpublished, ({ source }) => {
        if (source === Track.Source.Camera) options.onCameraLost();
        if (source === Track.Source.Microphone) options.onMicrophoneLost();
      })
      .on(RoomEvent.Disconnected, (reason) => this.#end(endReason(reason)));
    this.#room.registerTextStreamHandler(TOPIC_TRANSCRIPTION, (reader, { identity }) =>
      this.#readWords(reader, identity),
    );
  }

  /** Joins the room, and tells the avatar what the page needs. Video is subscribed to only if it is that. Throws if the
   *  room cannot be reached. */
  async join(url: string, token: string, needs: WatchNeeds): Promise<void> {
    this.#needs = needs;
    this.#subscribesAll = needs === "video";
    this.#awaitFace();
    await this.#room.connect(url, token, { autoSubscribe: this.#subscribesAll });
    this.#subscribePublished();
    void this.#tellNeeds();
    this.#absenceTimers = ABSENCE_CHECKS_MS.map((afterMs) => setTimeout(() => this.#checkAbsence(), afterMs));
    this.#reportMicrophone();
    this.#reportAvatar();
    this.#options.onAudioBlocked(!this.#room.canPlaybackAudio);
  }

  /** Asks the avatar for video, which comes unless it refuses: then nothing changes. Undefined if no avatar could be
   *  asked. */
  async needVideo(): Promise<WatchOutcome | undefined> {
    this.#stopMotion();
    const outcome = await this.#watch.ask("video");
    if (this.#isOver) return undefined;
    const isRefused = outcome === undefined || (typeof outcome === "object" && !outcome.ok);
    if (!isRefused) this.#showVideo();
    else if (this.#needs === "motion") this.#followMotion();
    return outcome;
  }

  /** Subscribes to video, and tells the avatar. */
  useVideo(): void {
    this.#showVideo();
    void this.#tellNeeds();
  }

  /** The visitor decides how to go on; meanwhile there is audio alone. */
  needNothing(): void {
    this.#needs = "nothing";
    this.#hasLocalFace = false;
    this.#stopMotion();
    this.#clearTimers();
    void this.#tellNeeds();
  }

  /** The tab shows a face that moves by the avatar's motion. */
  faceShown(): void {
    this.#hasLocalFace = true;
    this.#reportFrame();
  }

  /** Starts audio after a tap of the visitor. */
  async startAudio(): Promise<void> {
    await this.#room.startAudio();
  }

  /** Opens or closes the visitor's microphone, and returns its track while it is open. Throws if the browser refuses
   *  it. */
  async setMicrophone(isOn: boolean): Promise<MediaStreamTrack | null> {
    const publication = await this.#room.localParticipant.setMicrophoneEnabled(isOn);
    return isOn ? (publication?.track?.mediaStreamTrack ?? null) : null;
  }

  /** Lets the avatar make a gesture. Throws if there is no avatar, or none that answers. */
  async playGesture(action: string): Promise<void> {
    await this.#call(RPC_TRIGGER_DYNAMICS, { action });
  }

  /** What the avatar shows from now on; null: what it shows by default. Throws if there is no avatar, or none that
   *  takes it. */
  async setMood(emotion: ExpressionName | null): Promise<void> {
    const { status } = JSON.parse(await this.#call(RPC_SET_EMOTION, { emotion }));
    if (status !== "success") throw new Error("the avatar did not take it");
  }

  /** Opens or closes the visitor's camera, and returns its track while it is open. Throws if the browser refuses it. */
  async setCamera(isOn: boolean): Promise<MediaStreamTrack | null> {
    const publication = await this.#room.localParticipant.setCameraEnabled(isOn, { resolution: CAMERA_RESOLUTION });
    return isOn ? (publication?.track?.mediaStreamTrack ?? null) : null;
  }

  /** Leaves without `onEnded`. Safe to repeat. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#clearTimers();
    this.#stopMotion();
    await this.#room.disconnect();
  }

  async #call(method: string, request: object): Promise<string> {
    const avatar = this.#findAvatar();
    if (!avatar) throw new Error("the avatar is not in the room");
    return this.#room.localParticipant.performRpc({
      destinationIdentity: avatar.identity,
      method,
      payload: JSON.stringify(request),
    });
  }

  async #readWords(reader: TextStreamReader, identity: string): Promise<void> {
    const { attributes = {}, id } = reader.info;
    const segmentId = attributes[ATTRIBUTE_TRANSCRIPTION_SEGMENT_ID] ?? id;
    const speaker = this.#isVisitor(identity, attributes[ATTRIBUTE_TRANSCRIPTION_TRACK_ID]) ? "visitor" : "avatar";
    let text = "";
    try {
      for await (const piece of reader) {
        text += piece;
        this.#options.onWords({ speaker, segmentId, text, isFinal: false });
      }
    } catch {
      // The sender left in the middle of a sentence. The part that arrived stays on the screen.
    }
    const isFinal = attributes[ATTRIBUTE_TRANSCRIPTION_FINAL] !== "false";
    if (isFinal) this.#options.onWords({ speaker, segmentId, text, isFinal });
  }

  /** What was understood from the visitor comes in the visitor's name, or names the visitor's track. */
  #isVisitor(identity: string, trackSid: string | undefined): boolean {
    const { identity: own, trackPublications } = this.#room.localParticipant;
    return identity === own || [...trackPublications.values()].some((one) => one.trackSid === trackSid);
  }

  #reportAvatar(): void {
    const avatar = this.#findAvatar();
    if (!avatar || this.#isOver) return;
    const {
      [ATTRIBUTE_AGENT_STATE]: agentState,
      [ATTRIBUTE_MIND]: answerSource,
      [ATTRIBUTE_FOUND_MODEL]: foundModel,
      [ATTRIBUTE_CAMERA]: camera,
    } = avatar.attributes;
    this.#options.onAvatar({ agentState, answerSource, foundModel, camera });
  }

  #findAvatar(): RemoteParticipant | undefined {
    return [...this.#room.remoteParticipants.values()].find((one) => one.isAgent);
  }

  #attach(track: RemoteTrack): void {
    const { videoElement, audioElement } = this.#options;
    if (track.kind === Track.Kind.Audio) {
      track.attach(audioElement);
      this.#options.onAudio(track.receiver);
      return;
    }
    track.attach(videoElement);
    // The visitor waits for the first decoded frame, not for the subscription.
    videoElement.requestVideoFrameCallback(() => this.#reportFrame());
  }

  #detach(track: RemoteTrack): void {
    if (track.kind === Track.Kind.Audio) this.#options.onAudio(undefined);
    track.detach(track.kind === Track.Kind.Audio ? this.#options.audioElement : this.#options.videoElement);
  }

  #reportFrame(): void {
    const isShown = this.#needs === "video" ? this.#options.videoElement.srcObject !== null : this.#hasLocalFace;
    if (this.#isOver || !isShown) return;
    this.#clearTimers();
    this.#options.onFrame();
  }

  #showVideo(): void {
    this.#needs = "video";
    this.#hasLocalFace = false;
    this.#stopMotion();
    this.#awaitFace();
    this.#subscribePublished();
  }

  #awaitFace(): void {
    clearTimeout(this.#avatarTimer);
    if (this.#needs === "nothing") return;
    this.#avatarTimer = setTimeout(() => this.#end("avatar-missing"), AVATAR_TIMEOUT_MS);
  }

  #subscribePublished(): void {
    for (const participant of this.#room.remoteParticipants.values())
      for (const publication of participant.trackPublications.values()) this.#subscribe(publication);
  }

  #subscribe(publication: RemoteTrackPublication): void {
    if (!this.#subscribesAll && (publication.kind === Track.Kind.Audio || this.#needs === "video"))
      publication.setSubscribed(true);
  }

  async #tellNeeds(): Promise<void> {
    const needs = this.#needs;
    const outcome = await this.#watch.ask(needs);
    if (outcome === undefined || this.#isOver) return;
    if (needs === "motion" && typeof outcome === "object" && outcome.ok) this.#followMotion();
    this.#options.onWatched(needs, outcome);
  }

  #followMotion(): void {
    this.#stopMotion();
    this.#motionAtMs = performance.now();
    this.#motionTimer = setInterval(() => {
      if (performance.now() - this.#motionAtMs > MOTION_GAP_MS && this.#findAvatar()) void this.#tellNeeds();
    }, MOTION_GAP_MS);
  }

  #stopMotion(): void {
    clearInterval(this.#motionTimer);
  }

  #takeMotion(packet: Uint8Array): void {
    if (this.#needs !== "motion") return;
    this.#motionAtMs = performance.now();
    this.#options.onMotion(packet);
  }

  #checkAbsence(): void {
    if (!this.#isOver && !this.#findAvatar()) this.#options.onAvatarAbsent();
  }

  #clearTimers(): void {
    clearTimeout(this.#avatarTimer);
    for (const timer of this.#absenceTimers) clearTimeout(timer);
  }

  #missAvatar(participant: RemoteParticipant): void {
    const isAnotherThere = [...this.#room.remoteParticipants.values()].some(isAvatar);
    if (!isAvatar(participant) || isAnotherThere || this.#isOver) return;
    this.#hasLocalFace = false;
    this.#options.onAvatarLost();
    clearTimeout(this.#avatarTimer);
    this.#avatarTimer = setTimeout(() => this.#end("avatar-left"), AVATAR_TIMEOUT_MS);
  }

  #reportMicrophone(): void {
    this.#options.onMicrophoneAllowed(this.#room.localParticipant.permissions?.canPublish ?? false);
  }

  #end(reason: EndReason): void {
    if (this.#isOver) return;
    void this.close();
    this.#options.onEnded(reason);
  }
}

/** The avatar is of LiveKit's kind "agent"; one that is not shows itself by its video. */
function isAvatar({ isAgent, trackPublications }: RemoteParticipant): boolean {
  return isAgent || [...trackPublications.values()].some(({ kind }) => kind === Track.Kind.Video);
}

function endReason(reason: DisconnectReason | undefined): EndReason {
  switch (reason) {
    case DisconnectReason.DUPLICATE_IDENTITY:
      return "opened-elsewhere";
    case DisconnectReason.ROOM_DELETED:
    case DisconnectReason.PARTICIPANT_REMOVED:
    case DisconnectReason.CLIENT_INITIATED:
      return "ended";
    case DisconnectReason.SERVER_SHUTDOWN:
      return "service-stopped";
    default:
      return "connection-lost";
  }
}
