// What a LiveKit room has for a face: the avatar's tracks or, without an avatar, the agent's voice; captions and state.
import { ATTRIBUTE_AGENT_STATE, ATTRIBUTE_PUBLISH_ON_BEHALF } from "../../shared/wire-names.ts";
import type { FaceState } from "./face-view.ts";
import type { LiveKitParticipant, LiveKitRoom, LiveKitTrack } from "./livekit-shapes.ts";
import { tellNeeds } from "./tell-needs.ts";

export interface RoomFeedEvents {
  /** Another video, or none: then the face is rendered here. */
  onVideo(track: LiveKitTrack | undefined): void;
  onVoice(track: LiveKitTrack | undefined): void;
  /** What is said now; undefined without an agent. */
  onCaption(text: string | undefined): void;
  /** What the agent says of itself; undefined if it says nothing. */
  onState(state: FaceState | undefined): void;
}

const STATES: Readonly<Record<string, FaceState>> = {
  initializing: "loading",
  idle: "idle",
  listening: "listening",
  thinking: "thinking",
  speaking: "speaking",
};
/** Events of the room after which its tracks or participants may be others. */
const CHANGES = [
  "trackSubscribed",
  "trackUnsubscribed",
  "participantConnected",
  "participantDisconnected",
  "participantAttributesChanged",
  "disconnected",
  "reconnected",
] as const;
const MOST_CAPTION_CHARACTERS = 160;

export class RoomFeed {
  readonly #room: LiveKitRoom;
  readonly #events: RoomFeedEvents;
  #video: LiveKitTrack | undefined;
  #voice: LiveKitTrack | undefined;
  #state: FaceState | undefined;
  #speakers: ReadonlySet<string> = new Set();

  constructor(room: LiveKitRoom, events: RoomFeedEvents) {
    this.#room = room;
    this.#events = events;
    for (const change of CHANGES) room.on(change, this.#update);
    // These packets, unlike the text streams of the same words, may have many listeners.
    room.on("transcriptionReceived", this.#takeWords);
    this.#update();
  }

  /** Idempotent. */
  close(): void {
    for (const change of CHANGES) this.#room.off(change, this.#update);
    this.#room.off("transcriptionReceived", this.#takeWords);
  }

  #update = (): void => {
    const agents = [...this.#room.remoteParticipants.values()].filter(({ isAgent }) => isAgent);
    const filmed = agents.filter((one) => trackOf(one, "video"));
    const avatar = filmed.find(({ attributes }) => attributes[ATTRIBUTE_PUBLISH_ON_BEHALF]) ?? filmed[0];
    const behalf = avatar?.attributes[ATTRIBUTE_PUBLISH_ON_BEHALF];
    const agent = (behalf && agents.find(({ identity }) => identity === behalf)) || avatar || agents[0];
    this.#speakers = new Set([avatar?.identity, agent?.identity].filter((identity) => identity !== undefined));
    this.#setVideo(avatar && trackOf(avatar, "video"), avatar?.identity);
    const speaking = avatar ?? agents.find((one) => trackOf(one, "audio"));
    this.#setVoice(speaking && trackOf(speaking, "audio"));
    this.#setState(STATES[agent?.attributes[ATTRIBUTE_AGENT_STATE] ?? ""]);
    if (!agent) this.#events.onCaption(undefined);
  };

  #setVideo(track: LiveKitTrack | undefined, identity = ""): void {
    if (track === this.#video) return;
    this.#video = track;
    const { localParticipant } = this.#room;
    if (track && localParticipant) tellNeeds({ localParticipant }, identity, { needs: "video" });
    this.#events.onVideo(track);
  }

  #setVoice(track: LiveKitTrack | undefined): void {
    if (track === this.#voice) return;
    this.#voice = track;
    this.#events.onVoice(track);
  }

  #setState(state: FaceState | undefined): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#events.onState(state);
  }

  #takeWords = (segments: readonly { text: string }[], participant?: { identity: string }): void => {
    if (!participant || !this.#speakers.has(participant.identity)) return;
    const text = segments.at(-1)?.text ?? "";
    this.#events.onCaption(text.length > MOST_CAPTION_CHARACTERS ? `… ${lastWords(text)}` : text);
  };
}

function trackOf({ trackPublications }: LiveKitParticipant, kind: string): LiveKitTrack | undefined {
  for (const { track } of trackPublications.values()) if (track?.kind === kind) return track;
  return undefined;
}

/** The newest words are the ones that are heard. */
function lastWords(text: string): string {
  const end = text.slice(-MOST_CAPTION_CHARACTERS);
  return end.slice(end.indexOf(" ") + 1);
}
