// A conversation in a room: connects the person's microphone and typed text with the conversation, and the conversation
// with the avatar, the room's transcriptions and the api.
import type { Room } from "@livekit/rtc-node";
import type { Logger } from "../../shared/log.ts";
import type { JobDescription, KnowledgePassage, MessageReport, MindKind } from "../../shared/runtime-api.ts";
import { Conversation, CUT_IN_MS } from "../../src/conversation/conversation.ts";
import type { ConversationFault, TurnTimes } from "../../src/conversation/conversation-listener.ts";
import type {
  ConversationEars,
  ConversationMind,
  EndOfTurn,
  SearchKnowledge,
} from "../../src/conversation/conversation-parts.ts";
import { spokenInstructions } from "../../src/conversation/instructions.ts";
import { recollect } from "../../src/conversation/recollect.ts";
import type { SpeechOutput } from "../../src/conversation/speech-output.ts";
import type { MindPicture } from "../../src/mind/mind-turn.ts";
import { SpeechDetector } from "../listening/speech-detector.ts";
import type { AvatarAttributes } from "../room/avatar-attributes.ts";
import { ChatInput } from "./chat-input.ts";
import type { ConversationCheckpoint } from "./conversation-checkpoint.ts";
import { LinkedPerson } from "./linked-person.ts";
import { MessageReports } from "./message-reports.ts";
import { PersonCamera } from "./person-camera.ts";
import { PersonMicrophone } from "./person-microphone.ts";
import { PersonTranscription } from "./person-transcription.ts";
import { WatchedTime } from "./watched-time.ts";

/** Interval of checkpoints while the avatar speaks, ms: a process that dies loses at most a word or two. */
const CHECKPOINT_INTERVAL_MS = 400;
/** Beside the avatar's own echo, whose rests may last as long as a short word, ms. */
const CUT_IN_BESIDE_ECHO_MS = 320;

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
  /** Headers for the model's server. */
  headers: Readonly<Record<string, string>>;
}

export interface RoomConversationOptions {
  /** Connected as the avatar. */
  room: Room;
  /** Speaks and shows that it listens. */
  avatar: SpeechOutput & { listens(isListening: boolean): void };
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
  onCheckpoint(checkpoint: ConversationCheckpoint): void;
  /** The person got an answer. */
  onTurn(times: TurnTimes): void;
  /** Ears, language model or voice failed. */
  onFault(part: ConversationFault): void;
  logger: Logger;
}

export class RoomConversation {
  readonly #options: RoomConversationOptions;
  readonly #conversation: Conversation;
  readonly #reports: MessageReports;
  readonly #detector: SpeechDetector;
  readonly #microphone: PersonMicrophone;
  readonly #camera: PersonCamera;
  readonly #watched: WatchedTime;
  readonly #person: LinkedPerson;
  readonly #chat: ChatInput;
  readonly #mindKind: MindKind;
  readonly #checkpoints: NodeJS.Timeout;
  readonly #closing = new AbortController();
  /** What was heard of the present act when the last checkpoint was told. */
  #toldHeard = "";
  #isClosed = false;

  constructor(options: RoomConversationOptions) {
    const { room, avatar, attributes, api, job, language, parts, checkpoint, logger } = options;
    this.#options = options;
    this.#mindKind = mindKindOf(parts, job);
    this.#reports = new MessageReports({
      api,
      lastSeq: checkpoint?.lastSeq ?? job.last_message_seq ?? 0,
      waiting: checkpoint?.unreported ?? [],
      logger,
    });
    this.#watched = new WatchedTime({ earlierSeconds: checkpoint?.watchedSeconds ?? job.watched_seconds ?? 0 });
    this.#camera = new PersonCamera({ room, onSwitched: () => this.#noteCamera(), logger });
    const search: SearchKnowledge = (query, signal) => api.searchKnowledge(query, { signal });
    const transcription = new PersonTranscription({
      room,
      identity: () => this.#person.identity,
      trackSid: () => this.#microphone.trackSid,
      logger,
    });
    this.#conversation = new Conversation({
      instructions: spokenInstructions({ systemPrompt: job.system_prompt, name: job.agent_name, language }),
      language,
      ears: parts.ears,
      endOfTurn: parts.endOfTurn,
      mind: parts.mind,
      search: job.has_knowledge ? search : null,
      look: (signal) => this.#look(signal),
      user: job.end_user_id ?? job.avatar_session_id,
      headers: parts.headers,
      output: avatar,
      cutInMs: () => (options.echo.hasEcho ? CUT_IN_BESIDE_ECHO_MS : CUT_IN_MS),
      history: checkpoint?.history ?? job.history ?? [],
      listener: {
        onState: (state) => attributes?.thinks(state === "thinking"),
        onPersonSpeaking: (isSpeaking) => {
          avatar.listens(isSpeaking);
          if (isSpeaking && this.#isWatching) this.#camera.prepare();
        },
        onPersonText: (text) => transcription.show(text),
        onMessage: (message) => this.#reports.add(message),
        onChange: () => this.#tellCheckpoint(),
        onTurn: (times) => {
          this.#noteCamera();
          logger.info(times, "turn answered");
          options.onTurn(times);
        },
        onFault: (part, error) => {
          logger.warn({ part, err: error }, "part of the conversation failed");
          options.onFault(part);
        },
      },
    });
    this.#detector = new SpeechDetector({ onWindow: (window) => this.#conversation.hear(window) });
    this.#microphone = new PersonMicrophone({
      room,
      onAudio: (samples) => this.#detector.push(options.echo.clean(samples)),
      onLost: () => {
        this.#detector.reset();
        this.#conversation.microphoneLost();
      },
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
    if (!checkpoint && parts.mind) void this.#recollect(parts.mind);
    if (checkpoint) this.#conversation.goOn(checkpoint);
    this.#checkpoints = setInterval(() => this.#tellHeard(), CHECKPOINT_INTERVAL_MS);
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
    if (this.#mindKind !== "none") this.#conversation.type(text);
    else this.speak(text).catch((error: unknown) => logger.warn({ err: error }, "typed text not spoken"));
  }

  /** Says a line word for word; see `Conversation.speak`. */
  speak(line: string): Promise<boolean> {
    return this.#conversation.speak(line);
  }

  addContext(text: string): void {
    this.#conversation.addContext(text);
  }

  /** For the next process. */
  get checkpoint(): ConversationCheckpoint {
    return {
      ...this.#conversation.snapshot,
      lastSeq: this.#reports.lastSeq,
      watchedSeconds: this.watchedSeconds,
      unreported: [...this.#reports.waiting],
    };
  }

  /** Ends what is said, and reports the last messages. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#checkpoints);
    this.#closing.abort(new Error("the conversation is closed"));
    this.#chat.close();
    this.#person.close();
    this.#microphone.close();
    this.#camera.close();
    this.#watched.isWatching = false;
    this.#detector.close();
    await this.#conversation.close();
    await this.#reports.close();
  }

  #onPerson(identity: string | undefined): void {
    this.#microphone.follow(identity);
    this.#camera.follow(identity);
    const { greeting } = this.#options.job;
    if (identity === undefined || !greeting || this.#options.checkpoint) return;
    void this.#options.whenHeard().then(() => {
      if (!this.#isClosed && this.#person.identity !== undefined) this.#conversation.greet(greeting);
    });
  }

  /** Whether the model sees what the camera shows. */
  get #isWatching(): boolean {
    return this.#camera.isOn && this.#options.parts.mind?.takesPictures === true;
  }

  async #look(signal: AbortSignal): Promise<MindPicture | undefined> {
    const jpeg = await this.#camera.still(signal);
    return jpeg && { jpeg };
  }

  /** Tells the person whether the model sees what the camera shows. */
  #noteCamera(): void {
    if (this.#isClosed) return;
    const { isOn } = this.#camera;
    this.#watched.isWatching = this.#isWatching;
    this.#options.attributes?.showCamera(!isOn ? "off" : this.#isWatching ? "watched" : "unseen");
  }

  /** The first answer does not wait for it. */
  async #recollect(mind: ConversationMind): Promise<void> {
    const { job, logger } = this.#options;
    if (!job.earlier) return;
    try {
      const notes = await recollect(mind, job.earlier, this.#closing.signal);
      if (notes !== undefined) this.#conversation.addContext(notes);
    } catch (error) {
      if (!this.#isClosed) logger.warn({ err: error }, "the last conversation was not summarised");
    }
  }

  #tellHeard(): void {
    if (this.#conversation.heardText !== this.#toldHeard) this.#tellCheckpoint();
  }

  #tellCheckpoint(): void {
    if (this.#isClosed) return;
    const { checkpoint } = this;
    this.#toldHeard = checkpoint.heard;
    this.#options.onCheckpoint(checkpoint);
  }
}

function mindKindOf({ mind, isProviderMind }: ConversationParts, job: JobDescription): MindKind {
  if (mind) return isProviderMind ? "provider" : "model";
  return job.has_knowledge ? "knowledge" : "none";
}
