// A conversation in a room: connects the person's microphone and typed text with the conversation, and the conversation
// with the avatar, the room's transcriptions and the api.
import type { Room } from "@livekit/rtc-node";
import type { Logger } from "../../program/log.ts";
import type {
  JobDescription,
  KnowledgePassage,
  MessageReport,
  MindKind,
  TurnRecord,
} from "../../shared/runtime-api.ts";
import type { ConversationListener } from "../../src/conversation/turns/conversation-listener.ts";
import type { ConversationLlm } from "../../src/conversation/turns/conversation-parts.ts";
import { recollect } from "../../src/conversation/turns/recollect.ts";
import { PhraseDetector } from "../../src/speech/phrases/phrase-detector.ts";
import { takeExpressionTags } from "../../src/speech/text/expression-tags.ts";
import type { AnswerSource, AvatarAttributes } from "../room/avatar-attributes.ts";
import type { AvatarRunner } from "../room/avatar-runner.ts";
import { Transcriptions } from "../room/transcriptions.ts";
import type { ConversationEvent } from "./conversation-event.ts";
import { ChatInput } from "./person/chat-input.ts";
import { LinkedPerson } from "./person/linked-person.ts";
import { PersonMicrophone } from "./person/person-microphone.ts";
import { WatchedCamera } from "./person/watched-camera.ts";
import { Checkpoints } from "./reports/checkpoints.ts";
import type { ConversationCheckpoint } from "./reports/conversation-checkpoint.ts";
import { MessageReports } from "./reports/message-reports.ts";
import { TurnRecords } from "./reports/turn-records.ts";
import { type ConversationParts, TurnSuccession, type TurnSuccessionOptions } from "./turn-succession.ts";

/** How often it is looked what was heard of the avatar, ms: a process that dies repeats at most a few words. */
const HEARD_INTERVAL_MS = 1_000;
/** What a realtime server is told of an earlier conversation. */
const MAX_EARLIER_CHARACTERS = 3_000;

/** What visitors are told. They are not told who pays for a model. */
const SHOWN: Readonly<Record<MindKind, AnswerSource>> = {
  model: "model",
  provider: "model",
  knowledge: "knowledge",
  none: "documents",
};

/** The part of the runtime API that a conversation uses. */
export interface ConversationApi {
  /** Throws if the api cannot be reached or refuses. */
  searchKnowledge(question: string, options: { signal?: AbortSignal }): Promise<readonly KnowledgePassage[]>;
  /** Throws if the api cannot be reached or refuses. */
  reportMessages(report: MessageReport): Promise<void>;
  /** Whether the api has refused for good: the session has ended, or another worker has it. */
  isRefusal(error: unknown): boolean;
}

export interface RoomConversationOptions {
  /** Connected as the avatar. */
  room: Room;
  /** Speaks and shows that it listens. */
  avatar: TurnSuccessionOptions["avatar"] & Pick<AvatarRunner, "listens" | "hears" | "thinks">;
  /** Takes the avatar's echo out of the microphone. */
  echo: TurnSuccessionOptions["echo"] & { clean(samples: Int16Array): Int16Array };
  attributes: AvatarAttributes | undefined;
  api: ConversationApi;
  job: JobDescription;
  /** Of the agent's voice. */
  language: string;
  parts: ConversationParts;
  checkpoint: ConversationCheckpoint | undefined;
  /** Resolves when a participant has subscribed to the avatar's audio. */
  whenHeard(): Promise<void>;
  /** Something happened in the conversation. */
  onEvent(event: ConversationEvent): void;
  logger: Logger;
}

export class RoomConversation {
  readonly #options: RoomConversationOptions;
  readonly #turns: TurnSuccession;
  readonly #reports: MessageReports;
  readonly #records = new TurnRecords();
  readonly #transcriptions: Transcriptions;
  readonly #microphone: PersonMicrophone;
  readonly #phrases = new PhraseDetector();
  readonly #camera: WatchedCamera;
  readonly #person: LinkedPerson;
  readonly #chat: ChatInput;
  readonly #checkpoints: Checkpoints;
  #heardLook: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();
  #isClosed = false;

  constructor(options: RoomConversationOptions) {
    const { room, avatar, echo, attributes, api, job, parts, checkpoint, logger } = options;
    this.#options = options;
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
        options.onEvent({ type: "conversation", change });
        // Before, another process could give its own messages the same numbers.
        this.#reports.release(lastSeq);
      },
    });
    this.#camera = new WatchedCamera({
      room,
      attributes,
      earlierSeconds: checkpoint?.watchedSeconds ?? job.watched_seconds ?? 0,
      takesImages: () => !this.#turns.isRemote && this.#turns.llm?.takesImages === true,
      logger,
    });
    this.#transcriptions = new Transcriptions({
      room,
      identity: () => this.#person.identity,
      trackSid: () => this.#microphone.trackSid,
      grows: false,
      logger,
    });
    const listener: ConversationListener = {
      onState: (state) => {
        attributes?.thinks(state === "thinking");
        avatar.thinks(state === "thinking");
      },
      onPersonSpeaking: (isSpeaking) => {
        avatar.listens(isSpeaking);
        if (isSpeaking) this.#camera.prepare();
      },
      onPersonText: (text) => this.#transcriptions.show(text),
      onMessage: (message) => this.#reports.add(message),
      onChange: () => this.#checkpoints.note(),
      onTurn: (times, words) => {
        this.#camera.note();
        this.#records.answered(times, words);
        logger.info(times, "turn answered");
        options.onEvent({ type: "turn", times });
      },
      onFault: (part, error) => {
        logger.warn({ part, err: error }, "part of the conversation failed");
        if (part === "llm" && !this.#turns.isRemote) parts.model.failed();
        options.onEvent({ type: "conversation-fault", part });
      },
    };
    this.#turns = new TurnSuccession({
      avatar,
      echo,
      job,
      language: options.language,
      parts,
      search: job.has_knowledge ? (query, signal) => api.searchKnowledge(query, { signal }) : null,
      look: (signal) => this.#camera.look(signal),
      history: checkpoint?.history ?? job.history ?? [],
      listener,
      onSources: (sources) => this.#records.asked(sources),
      onSucceeded: () => this.#camera.note(),
    });
    this.#microphone = new PersonMicrophone({
      room,
      onAudio: (samples) => this.#hear(echo.clean(samples)),
      onLost: () => this.#onMicrophoneLost(),
    });
    this.#person = new LinkedPerson({ room, onChange: (identity) => this.#onPerson(identity) });
    this.#chat = new ChatInput({
      room,
      isLinked: (identity) => identity === this.#person.identity,
      onText: (text) => this.ask(text),
      logger,
    });
  }

  /** Begins to lead the conversation, where an earlier process was interrupted if there was one. Once. */
  start(): void {
    const { parts, checkpoint } = this.#options;
    this.#reports.start();
    this.#turns.start();
    for (const follower of [this.#camera, this.#microphone, this.#chat]) follower.start();
    // Our own model does not stand in for a realtime server.
    if (!parts.realtime) parts.model.start(() => this.#showModel());
    this.#showModel();
    this.#person.start();
    if (checkpoint) this.#turns.leader.goOn(checkpoint);
    else this.#remember();
    this.#heardLook = setInterval(() => this.#checkpoints.note(), HEARD_INTERVAL_MS);
  }

  /** What answers now. */
  get mindKind(): MindKind {
    const { parts, job } = this.#options;
    if (parts.realtime || parts.model.isProvider) return "provider";
    if (parts.model.llm) return "model";
    return job.has_knowledge ? "knowledge" : "none";
  }

  /** How long a camera was watched in this session, s. */
  get watchedSeconds(): number {
    return this.#camera.watchedSeconds;
  }

  /** The person has typed a turn. */
  ask(text: string): void {
    this.#turns.leader.type(text);
  }

  /** The person lets the avatar say a line, which `speak` gets next. The transcript and the model know that the words
   *  are the person's. */
  noteLine(line: string): void {
    const { text } = takeExpressionTags(line);
    this.#reports.add({ role: "user", text: `Say this: ${text}`, at: new Date() });
    this.#turns.leader.addContext(`The person lets you say this line word for word: ${text}`);
  }

  /** Says a line word for word; see `Conversation.speak`. */
  speak(line: string): Promise<boolean> {
    return this.#turns.leader.speak(line);
  }

  addContext(text: string): void {
    this.#turns.leader.addContext(text);
  }

  /** Its turns after that number, with what the language model was told; see `TurnRecords`. */
  turnsAfter(number: number): readonly TurnRecord[] {
    return this.#records.after(number);
  }

  /** For the next process. */
  get checkpoint(): ConversationCheckpoint {
    return {
      ...this.#turns.leader.snapshot,
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
    this.#options.parts.model.close();
    this.#chat.close();
    this.#person.close();
    this.#microphone.close();
    this.#camera.close();
    await this.#turns.close();
    await this.#reports.close();
    this.#transcriptions.close();
  }

  /** `samples`: without the avatar's echo. */
  #hear(samples: Int16Array): void {
    for (const heard of this.#phrases.push(samples)) this.#options.avatar.hears(heard);
    this.#turns.leader.pushAudio(samples);
  }

  #onMicrophoneLost(): void {
    this.#phrases.reset();
    this.#options.avatar.hears("lost");
    this.#turns.leader.microphoneLost();
  }

  #showModel(): void {
    const { attributes, parts } = this.#options;
    attributes?.showLlm(SHOWN[this.mindKind], parts.model.foundName);
    this.#camera.note();
  }

  #onPerson(identity: string | undefined): void {
    this.#microphone.follow(identity);
    this.#camera.follow(identity);
    const { greeting } = this.#options.job;
    if (identity === undefined || !greeting || this.#options.checkpoint) return;
    void this.#options.whenHeard().then(() => {
      if (!this.#isClosed && this.#person.identity !== undefined) this.#turns.leader.greet(greeting);
    });
  }

  /** What was said in the person's last conversation: notes of the language model, or, for a realtime server, the
   *  words. */
  #remember(): void {
    const { job, parts } = this.#options;
    if (!job.earlier?.length) return;
    if (!parts.realtime && parts.model.llm) void this.#recollect(parts.model.llm);
    if (!parts.realtime) return;
    const lines = job.earlier.filter(({ role }) => role !== "context").map(({ role, text }) => `${role}: ${text}`);
    const words = lines.join("\n").slice(-MAX_EARLIER_CHARACTERS);
    this.#turns.leader.addContext(`The end of your last conversation with this person:\n${words}`);
  }

  /** The first answer does not wait for it. */
  async #recollect(llm: ConversationLlm): Promise<void> {
    const { job, logger } = this.#options;
    if (!job.earlier) return;
    try {
      const notes = await recollect(llm, job.earlier, this.#closing.signal);
      if (notes !== undefined) this.#turns.leader.addContext(notes);
    } catch (error) {
      if (!this.#isClosed) logger.warn({ err: error }, "the last conversation was not summarised");
    }
  }
}
