// The avatar of a LiveKit voice agent.
import { setTimeout as delay } from "node:timers/promises";
import { type APIConnectOptions, getJobContext, log, voice } from "@livekit/agents";
import type { Room } from "@livekit/rtc-node";
import { AGENT_NAME } from "../../shared/wire-names.ts";
import { AvatarAudioOutput } from "./avatar-audio-output.ts";
import type { AvatarHost } from "./avatar-host.ts";
import { AvatarSessionError } from "./avatar-session-error.ts";
import { BundleHost } from "./bundle/bundle-host.ts";
import { checkFaceOptions, type FaceOptions } from "./face-options.ts";
import { type LiveKitAccess, mintJoinToken, removeParticipant } from "./livekit-access.ts";
import { readEnvironment } from "./read-environment.ts";
import { ServiceHost } from "./service-host.ts";

const PROVIDER = "open-avatar";
const DEFAULT_NAME = "Avatar";
/** How long an avatar that may have been launched is awaited, to remove it. */
const REMOVAL_LIMIT_MS = 5_000;
const REMOVAL_PAUSE_MS = 250;

export interface AvatarSessionOptions extends FaceOptions {
  /** Code of the service's agent to show. Default: the agent of a scoped token, else the first sample avatar. */
  agentId?: string;
  /** Model to launch. Default: the service chooses. */
  model?: string;
  /** Portrait to show: a URL, a data URI, or the bytes of a picture. Needs the account's secret. */
  image?: string | Uint8Array;
  /** Avatar file to show without a service: the path or the address of an `.imx`, or its bytes. It is rendered on this
   *  machine, in a process beside the agent. */
  bundle?: string | URL | Uint8Array;
  /** Size of the mouth's movements of a `bundle`: 0 is calm, 0.5 a person in conversation, 1 lively. Default 0.5. */
  expressiveness?: number;
  /** Address of the avatar service. Default: `AVATAR_API_URL`, else `http://127.0.0.1:8080`. */
  apiUrl?: string;
  /** The account's secret, or a token that was minted for one agent in one room. Never leaves this process except to
   *  the service. Default: `AVATAR_API_SECRET`. */
  apiSecret?: string;
  /** Identity of the avatar in the room. Default: `service-avatar-agent`. */
  avatarParticipantIdentity?: string;
  /** Name of the avatar in the room. Default: `Avatar`. */
  avatarParticipantName?: string;
  /** Retries and timeout of requests to the service. Default: the framework's; the timeout is `AVATAR_API_TIMEOUT`
   *  (seconds) where that is set. */
  connOptions?: Partial<APIConnectOptions>;
}

/** The LiveKit server. Default: the job's, else `LIVEKIT_URL`, `LIVEKIT_API_KEY` and `LIVEKIT_API_SECRET`. */
export interface AvatarStartOptions {
  livekitUrl?: string;
  livekitApiKey?: string;
  livekitApiSecret?: string;
}

/** What `aclose` undoes. */
interface Start {
  abort: AbortController;
  done: Promise<void>;
  host?: AvatarHost;
  output?: AvatarAudioOutput;
  livekit?: LiveKitAccess;
  roomName?: string;
}

/** Gives an agent a face: brings an avatar into its room, and sends it what the agent says. Start it before the agent
 *  session. */
export class AvatarSession extends voice.AvatarSession {
  readonly #options: AvatarSessionOptions;
  readonly #logger = log().child({ module: PROVIDER });
  #start: Start | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: AvatarSessionOptions = {}) {
    super();
    this.#options = options;
  }

  override get avatarIdentity(): string {
    return this.#options.avatarParticipantIdentity ?? AGENT_NAME;
  }

  override get provider(): string {
    return PROVIDER;
  }

  /** Id of the service's session; null while none runs. */
  get sessionId(): string | null {
    const host = this.#start?.host;
    return host instanceof ServiceHost ? host.sessionId : null;
  }

  /** Launches the avatar, and becomes the audio output of the agent session. Resolves when the launch is accepted;
   *  `waitForJoin()` tells when the avatar is seen. After a failure it can be called again. */
  override async start(agentSession: voice.AgentSession, room: Room, options: AvatarStartOptions = {}): Promise<void> {
    if (this.#start) throw new AvatarSessionError("The avatar session has been started. Call aclose() first.");
    const start: Start = { abort: new AbortController(), done: Promise.resolve() };
    this.#start = start;
    start.done = this.#launch(start, agentSession, room, options);
    try {
      await start.done;
    } catch (error) {
      await this._rollbackStart();
      if (!start.abort.signal.aborted) this.#start = undefined;
      throw error;
    }
  }

  /** Ends the avatar's session, so that its slot is free at once. Ends a start that is under way, too. */
  override aclose(): Promise<void> {
    this.#closing ??= this.#close().finally(() => {
      this.#closing = undefined;
    });
    return this.#closing;
  }

  async #launch(
    start: Start,
    agentSession: voice.AgentSession,
    room: Room,
    options: AvatarStartOptions,
  ): Promise<void> {
    await super.start(agentSession, room);
    const host = this.#host();
    const livekit = livekitAccess(options);
    const { roomName, agentIdentity } = agentPlace(room);
    const livekitToken = await mintJoinToken(livekit, {
      roomName,
      agentIdentity,
      identity: this.avatarIdentity,
      name: this.#options.avatarParticipantName ?? DEFAULT_NAME,
      provider: PROVIDER,
    });
    Object.assign(start, { host, livekit, roomName });
    const { signal } = start.abort;
    signal.throwIfAborted();
    await host.start({ livekit, roomName, livekitToken }, signal);
    signal.throwIfAborted();
    start.output = new AvatarAudioOutput({ room, avatarIdentity: this.avatarIdentity });
    agentSession.output.audio = start.output;
  }

  #host(): AvatarHost {
    const { bundle, expressiveness, emotion, manner, listen, agentId, model, image } = this.#options;
    checkFaceOptions({ emotion, manner });
    if (bundle === undefined) return new ServiceHost(this.#options);
    if (agentId !== undefined || model !== undefined || image !== undefined) {
      throw new AvatarSessionError(
        "bundle shows an avatar without the service: agentId, model and image are for the service.",
      );
    }
    return new BundleHost({ bundle, expressiveness, emotion, manner, listen, logger: this.#logger });
  }

  async #close(): Promise<void> {
    const start = this.#start;
    if (start) {
      start.abort.abort(new AvatarSessionError("The avatar session was closed while it started."));
      await start.done.catch(() => undefined); // Its caller is told.
      start.output?.close();
      if (start.host) await this.#end(start);
    }
    await super.aclose();
    this.#start = undefined;
  }

  async #end({ host, livekit, roomName }: Start): Promise<void> {
    try {
      await host?.end();
    } catch (error) {
      this.#logger.debug({ error }, "session not ended, the avatar is removed from the room instead");
      if (livekit && roomName) await this.#remove(livekit, roomName);
    }
  }

  /** Removes the avatar, also if it comes only now. Its session ends with that. */
  async #remove(livekit: LiveKitAccess, roomName: string): Promise<void> {
    const untilMs = performance.now() + REMOVAL_LIMIT_MS;
    try {
      while (!(await removeParticipant(livekit, roomName, this.avatarIdentity)) && performance.now() < untilMs) {
        await delay(REMOVAL_PAUSE_MS);
      }
    } catch (error) {
      this.#logger.warn({ error }, "the avatar could not be removed from the room");
    }
  }
}

/** Throws AvatarSessionError if a part is missing. */
function livekitAccess({ livekitUrl, livekitApiKey, livekitApiSecret }: AvatarStartOptions): LiveKitAccess {
  const environment = readEnvironment();
  const job = getJobContext(false)?.info;
  const url = livekitUrl || job?.url || environment.livekitUrl;
  const apiKey = livekitApiKey || job?.apiKey || environment.livekitApiKey;
  const apiSecret = livekitApiSecret || job?.apiSecret || environment.livekitApiSecret;
  if (url && apiKey && apiSecret) return { url, apiKey, apiSecret };
  throw new AvatarSessionError(
    "LiveKit credentials are missing: pass livekitUrl, livekitApiKey and livekitApiSecret to start, or set LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET.",
  );
}

/** Name of the room and identity of the agent. A job knows them before it has connected. */
function agentPlace(room: Room): { roomName: string; agentIdentity: string } {
  const job = getJobContext(false);
  const roomName = (room.isConnected ? room.name : undefined) || job?.job.room?.name;
  const agentIdentity = job?.agent?.identity ?? room.localParticipant?.identity ?? job?.info.acceptArguments.identity;
  if (roomName && agentIdentity) return { roomName, agentIdentity };
  throw new AvatarSessionError("The room is not connected. Connect it before the avatar session is started.");
}
