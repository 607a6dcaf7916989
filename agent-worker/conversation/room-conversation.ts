// A conversation in a room: connects the person's microphone and typed text with the conversation, and the conversation
// with the avatar, the room's transcriptions and the api.
import type { Room } from "@livekit/rtc-node";
import type { Logger } from "../../shared/log.ts";
import type { JobDescription, KnowledgePassage, MessageReport, MindKind } from "../../shared/runtime-api.ts";
import type {
  ConversationFault,
  ConversationListener,
  TurnTimes,
} from "../../src/conversation/conversation-listener.ts";
import type {
  ConversationEars,
  ConversationMind,
  EndOfTurn,
  SearchKnowledge,
} from "../../src/conversation/conversation-parts.ts";
import { spokenInstructions } from "../../src/conversation/instructions.ts";
import { recollect } from "../../src/conversation/recollect.ts";
import type { SpeechOutput } from "../../src/conversation/speech-output.ts";
import { CUT_IN_MS } from "../../src/conversation/turn-taker.ts";
import type { MindMessage, MindPicture } from "../../src/mind/mind-turn.ts";
import type { RealtimeProvider } from "../providers/realtime-link.ts";
import type { PlayedUtterance } from "../room/audio-utterance.ts";
import type { AvatarAttributes } from "../room/avatar-attributes.ts";
import { Transcriptions } from "../room/transcriptions.ts";
import { ChatInput } from "./chat-input.ts";
import type { CheckpointChange } from "./checkpoint-change.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { ConversationCheckpoint } from "./conversation-checkpoint.ts";
import { LinkedPerson } from "./linked-person.ts";
import { MessageReports } from "./message-reports.ts";
import { PersonCamera } from "./person-camera.ts";
import { PersonMicrophone } from "./person-microphone.ts";
import { RemoteTalk } from "./remote-talk.ts";
import { OwnTalk, type Talk } from "./talk.ts";
import { WatchedTime } from "./watched-time.ts";

/** How often it is looked what was heard of the avatar, ms: a process that dies repeats at most a few words. */
const HEARD_INTERVAL_MS = 1_000;
/** Beside the avatar's own echo, whose rests may last as long as a short word, ms. */
const CUT_IN_BESIDE_ECHO_MS = 320;

/** A realtime server that has led a conversation for this long is called again when it fails, ms. */
const PROVEN_MS = 30_000;
/** What a realtime server is told of an earlier conversation. */
const MAX_EARLIER_CHARACTERS = 3_000;

/** The part of the runtime API that a conversation uses. */
export interface ConversationApi {
  /** Throws if the api cannot be reached or refuses. */
  searchKnowledge(question: string, options: { signal?: AbortSignal }): Promise<readonly KnowledgePassage[]>;
  /** Throws if the api cannot be reached or refuses. */
  reportMessages(report: MessageReport): Promise<void>;
  /** Whether the api has refused for good: the session has ended, or another worker has it. */
  isRefusal(error: unknown): boolean;
}

/** What hears, decides and answers. */
export interface ConversationParts {
  ears: ConversationEars;
  endOfTurn: EndOfTurn;
  /** Null without a language model. */
  mind: ConversationMind | null;
  /** Whether the mind is a server of the account's own. */
  isProviderMind: boolean;
  /** A realtime server of the account's own, which takes the place of ears, mind and voice until it fails; null without
   *  one. */
  realtime: RealtimeProvider | null;
  /** Headers for the model's server. */
  headers: Readonly<Record<string, string>>;
}

export interface RoomConversationOptions {
  /** Connected as the avatar. */
  room: Room;
  /** Speaks and shows that it listens. */
  avatar: SpeechOutput & {
    /** Begins an utterance whose audio comes from elsewhere. */
    play(sampleRateHz: number): PlayedUtterance;
    listens(isListening: boolean): void;
  };
  /** Takes the avatar's echo out of the microphone. */
  echo: { clean(samples: Int16Array): Int16Array; readonly hasEcho: boolean };
  attributes: AvatarAttributes | undefined;
  api: ConversationApi;
  job: JobDescription;
  /** Of the agent's voice. */
  language: string;
  parts: ConversationParts;
  checkpoint: ConversationCheckpoint | undefined;
  /** Resolves when a participant has subscribed to the avatar's audio. */
  whenHeard(): Promise<void>;
  /** What the next process would need has changed; see `Checkpoints`. */
  onCheckpoint(change: CheckpointChange): void;
  /** The person got an answer. */
  onTurn(times: TurnTimes): void;
  /** Ears, language model or voice failed. */
  onFault(part: ConversationFault): void;
  logger: Logger;
}

export class RoomConversation {
  readonly #options: RoomConversationOptions;
  readonly #listener: ConversationListener;
  #talk: Talk;
  /** Whether a realtime server leads the conversation. */
  #isRemote: boolean;
  readonly #reports: MessageReports;
  readonly #transcriptions: Transcriptions;
  readonly #microphone: PersonMicrophone;
  readonly #camera: PersonCamera;
  readonly #watched: WatchedTime;
  readonly #person: LinkedPerson;
  readonly #chat: ChatInput;
  readonly #mindKind: MindKind;
  readonly #checkpoints: Checkpoints;
  readonly #heardLook: NodeJS.Timeout;
  readonly #closing = new AbortController();
  #isClosed = false;

  constructor(options: RoomConversationOptions) {
    const { room, avatar, attributes, api, job, parts, checkpoint, logger } = options;
    this.#options = options;
    this.#mindKind = mindKindOf(parts, job);
    this.#reports = new MessageReports({
      api,
      lastSeq: checkpoint?.lastSeq ?? job.last_message_seq ?? 0,
      waiting: checkpoint?.unreported ?? [],
      dropped: checkpoint?.droppedMessages ?? 0,
      logger,
    });
    this.#checkpoints = new Checkpoints({
      known: checkpoint,
      read: () => this.checkpoint,
      tell: (change, { lastSeq }) => {
        options.onCheckpoint(change);
        // Before, another process could give its own messages the same numbers.
        this.#reports.release(lastSeq);
      },
    });
    this.#watched = new WatchedTime({ earlierSeconds: checkpoint?.watchedSeconds ?? job.watched_seconds ?? 0 });
    this.#camera = new PersonCamera({ room, onSwitched: () => this.#noteCamera(), logger });
    this.#transcriptions = new Transcriptions({
      room,
      identity: () => this.#person.identity,
      trackSid: () => this.#microphone.trackSid,
      grows: false,
      logger,
    });
    this.#listener = {
      onState: (state) => attributes?.thinks(state === "thinking"),
      onPersonSpeaking: (isSpeaking) => {
        avatar.listens(isSpeaking);
        if (isSpeaking && this.#isWatching) this.#camera.prepare();
      },
      onPersonText: (text) => this.#transcriptions.show(text),
      onMessage: (message) => this.#reports.add(message),
      onChange: () => this.#checkpoints.note(),
      onTurn: (times) => {
        this.#noteCamera();
        logger.info(times, "turn answered");
        options.onTurn(times);
      },
      onFault: (part, error) => {
        logger.warn({ part, err: error }, "part of the conversation failed");
        options.onFault(part);
      },
    };
    const history = checkpoint?.history ?? job.history ?? [];
    this.#isRemote = parts.realtime !== null;
    this.#talk = parts.realtime ? this.#openRemote(parts.realtime, history) : this.#openOwn(history);
    this.#microphone = new PersonMicrophone({
      room,
      onAudio: (samples) => this.#talk.hear(options.echo.clean(samples)),
      onLost: () => this.#talk.microphoneLost(),
    });
    this.#person = new LinkedPerson({ room, onChange: (identity) => this.#onPerson(identity) });
    this.#chat = new ChatInput({
      room,
      isLinked: (identity) => identity === this.#person.identity,
      onText: (text) => this.type(text),
      logger,
    });
    // Visitors are told that a model answers, not who pays for it.
    attributes?.showMind(this.#mindKind === "provider" ? "model" : this.#mindKind);
    this.#person.start();
    if (!checkpoint) this.#remember();
    if (checkpoint) this.#talk.goOn(checkpoint);
    this.#heardLook = setInterval(() => this.#checkpoints.note(), HEARD_INTERVAL_MS);
  }

  /** What answers. */
  get mindKind(): MindKind {
    return this.#mindKind;
  }

  /** How long a camera was watched in this session, s. */
  get watchedSeconds(): number {
    return this.#watched.seconds;
  }

  /** The person has typed: a turn if anything can answer, else a line that the avatar says. */
  type(text: string): void {
    const { logger } = this.#options;
    if (this.#mindKind !== "none") this.#talk.type(text);
    else this.speak(text).catch((error: unknown) => logger.warn({ err: error }, "typed text not spoken"));
  }

  /** Says a line word for word; see `Conversation.speak`. */
  speak(line: string): Promise<boolean> {
    return this.#talk.speak(line);
  }

  addContext(text: string): void {
    this.#talk.addContext(text);
  }

  /** For the next process. */
  get checkpoint(): ConversationCheckpoint {
    return {
      ...this.#talk.snapshot,
      lastSeq: this.#reports.lastSeq,
      watchedSeconds: this.watchedSeconds,
      unreported: [...this.#reports.waiting],
      droppedMessages: this.#reports.dropped,
    };
  }

  /** Ends what is said, and reports the last messages. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#heardLook);
    this.#checkpoints.close();
    this.#closing.abort(new Error("the conversation is closed"));
    this.#chat.close();
    this.#person.close();
    this.#microphone.close();
    this.#camera.close();
    this.#watched.isWatching = false;
    await this.#talk.close();
    await this.#reports.close();
    this.#transcriptions.close();
  }

  /** Our own ears, mind and voice. */
  #openOwn(history: readonly MindMessage[]): Talk {
    const { avatar, job, language, parts, echo } = this.#options;
    return new OwnTalk({
      instructions: this.#instructions,
      language,
      ears: parts.ears,
      endOfTurn: parts.endOfTurn,
      mind: this.#mind,
      search: this.#search,
      look: (signal) => this.#look(signal),
      user: job.end_user_id ?? job.avatar_session_id,
      headers: parts.headers,
      output: avatar,
      cutInMs: () => (echo.hasEcho ? CUT_IN_BESIDE_ECHO_MS : CUT_IN_MS),
      history,
      listener: this.#listener,
    });
  }

  /** The account's realtime server. Our own ears and voice take over when it fails. */
  #openRemote({ connect, voice }: RealtimeProvider, history: readonly MindMessage[]): Talk {
    const { avatar, language } = this.#options;
    const remote = new RemoteTalk({
      connect,
      instructions: this.#instructions,
      language,
      voice,
      play: (sampleRateHz) => avatar.play(sampleRateHz),
      search: this.#search,
      history,
      listener: this.#listener,
      onFailed: (openMs) => {
        if (this.#isClosed) return;
        const { snapshot } = remote;
        // Servers end long sessions, and restart: one that has worked is called again.
        this.#isRemote = openMs > PROVEN_MS;
        this.#talk = this.#isRemote
          ? this.#openRemote({ connect, voice }, snapshot.history)
          : this.#openOwn(snapshot.history);
        this.#talk.goOn(snapshot);
        this.#noteCamera();
      },
    });
    return remote;
  }

  /** Our own model does not stand in for the account's: no one would be billed for it. */
  get #mind(): ConversationMind | null {
    const { mind, isProviderMind, realtime } = this.#options.parts;
    return realtime && !isProviderMind ? null : mind;
  }

  get #instructions(): string {
    const { job, language } = this.#options;
    return spokenInstructions({ systemPrompt: job.system_prompt, name: job.agent_name, language });
  }

  /** Null: there are no documents. */
  get #search(): SearchKnowledge | null {
    const { api, job } = this.#options;
    return job.has_knowledge ? (query, signal) => api.searchKnowledge(query, { signal }) : null;
  }

  #onPerson(identity: string | undefined): void {
    this.#microphone.follow(identity);
    this.#camera.follow(identity);
    const { greeting } = this.#options.job;
    if (identity === undefined || !greeting || this.#options.checkpoint) return;
    void this.#options.whenHeard().then(() => {
      if (!this.#isClosed && this.#person.identity !== undefined) this.#talk.greet(greeting);
    });
  }

  /** Whether the model sees what the camera shows. */
  get #isWatching(): boolean {
    return this.#camera.isOn && !this.#isRemote && this.#mind?.takesPictures === true;
  }

  async #look(signal: AbortSignal): Promise<MindPicture | undefined> {
    const jpeg = await this.#camera.still(signal);
    return jpeg && { bytes: jpeg, type: "image/jpeg" };
  }

  /** Tells the person whether the model sees what the camera shows. */
  #noteCamera(): void {
    if (this.#isClosed) return;
    const { isOn } = this.#camera;
    this.#watched.isWatching = this.#isWatching;
    this.#options.attributes?.showCamera(!isOn ? "off" : this.#isWatching ? "watched" : "unseen");
  }

  /** What was said in the person's last conversation: notes of the mind, or, for a realtime server, the words. */
  #remember(): void {
    const { job, parts } = this.#options;
    if (!job.earlier?.length) return;
    if (!parts.realtime && parts.mind) void this.#recollect(parts.mind);
    if (!parts.realtime) return;
    const lines = job.earlier.filter(({ role }) => role !== "context").map(({ role, text }) => `${role}: ${text}`);
    const words = lines.join("\n").slice(-MAX_EARLIER_CHARACTERS);
    this.#talk.addContext(`The end of your last conversation with this person:\n${words}`);
  }

  /** The first answer does not wait for it. */
  async #recollect(mind: ConversationMind): Promise<void> {
    const { job, logger } = this.#options;
    if (!job.earlier) return;
    try {
      const notes = await recollect(mind, job.earlier, this.#closing.signal);
      if (notes !== undefined) this.#talk.addContext(notes);
    } catch (error) {
      if (!this.#isClosed) logger.warn({ err: error }, "the last conversation was not summarised");
    }
  }
}

function mindKindOf({ mind, isProviderMind, realtime }: ConversationParts, job: JobDescription): MindKind {
  if (realtime) return "provider";
  if (mind) return isProviderMind ? "provider" : "model";
  return job.has_knowledge ? "knowledge" : "none";
}
