// All calls of the api to our own LiveKit server: dispatch an avatar worker, call it by RPC, count participants, read
// the version.
import {
  AccessToken,
  AgentDispatchClient,
  RoomAgentDispatch,
  RoomServiceClient,
  type VideoGrant,
} from "livekit-server-sdk";
import { canonicalLiveKitUrl } from "../../../program/outgoing/livekit-url.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { AGENT_NAME, CONTROL_ROOM_PREFIX, GPU_NAME_SUFFIX } from "../../../shared/wire-names.ts";
import { createLiveKitProbe, type LiveKitServerState } from "./livekit-version.ts";

/** A server that does not answer within this time counts as unreachable. */
const REQUEST_TIMEOUT_S = 5;
const RETRY_AFTER_SECONDS = 5;
/** For LiveKit a room with agents alone is empty, and closes after its empty timeout, 300 s by default. A control room
 *  must stay for as long as a session may last: 24 hours. The api closes it when the session ends. */
const CONTROL_ROOM_SECONDS = 25 * 3600;
/** LiveKit sends agents that register without a name into each new room that names no agent. In a control room, a voice
 *  agent with an avatar would launch a further session. No agent registers under this name. */
const NO_OTHERS = [new RoomAgentDispatch({ agentName: "no-other-agents" })];
/** Added to an RPC's own timeout, so that the server's timeout error arrives before the HTTP request times out. */
const RPC_MARGIN_MS = 2_000;
/** How LiveKit says that a participant has not received a call: it is absent, its data channel is not open yet, or it
 *  has not registered the method yet. */
const NOT_REACHED = /no response from servers|data channel is not available|RpcError 1400\b/;

export interface LiveKitOptions {
  /** ws:// or wss:// URL at which the api and its workers reach the server (http forms are taken too). */
  url: string;
  /** The URL at which callers and browsers reach it. Default: `url`. In containers no address suits all of them:
   *  `127.0.0.1` of a browser is not that of a container, and browsers do not know `host-gateway`. A launch may name
   *  either; they are compared as written, and nothing is looked up. */
  publicUrl?: string;
  apiKey: string;
  apiSecret: string;
  /** Name under which our avatar workers register. Default `service-avatar-agent`. */
  dispatchName?: string;
}

export interface JoinTokenOptions {
  identity: string;
  roomName: string;
  ttlSeconds: number;
  kind?: "standard" | "agent";
  attributes?: Record<string, string>;
  /** Grants besides joining the room. */
  grant?: VideoGrant;
}

export interface RpcCall {
  roomName: string;
  identity: string;
  method: string;
  payload: string;
  timeoutMs: number;
}

export interface ListedRoom {
  name: string;
  participants: number;
  /** Participants that publish. */
  publishers: number;
  createdAt: Date;
}

/** The participant is not in the room, or has only just joined: no one has received the call. */
export class NotReachedError extends ServiceError {
  constructor(reason: string) {
    super("UPSTREAM_ERROR", "The avatar did not answer", { cause: new Error(reason) });
  }
}

export interface LiveKitGateway {
  /** URL for the api and its workers, in the spelling of `canonicalLiveKitUrl`. */
  readonly url: string;
  /** URL for callers and browsers, in the same spelling. */
  readonly publicUrl: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** Name under which our avatar workers register. */
  readonly dispatchName: string;
  /** Dispatches a worker into a control room of its own: with `onGpu` one of those that have registered for sessions
   *  that need a GPU. Throws SERVICE_UNAVAILABLE. */
  dispatchWorker(avatarSessionId: string, metadata: string, onGpu?: boolean): Promise<void>;
  /** Calls the worker of an avatar session and returns its reply. Throws UPSTREAM_ERROR if it refuses or times out,
   *  NotReachedError if it has not received the call, SERVICE_UNAVAILABLE if the server is unreachable. */
  callWorker(avatarSessionId: string, method: string, payload: string, timeoutMs: number): Promise<string>;
  /** Whether the worker of an avatar session is in its control room. Throws SERVICE_UNAVAILABLE. */
  hasWorker(avatarSessionId: string): Promise<boolean>;
  /** Whether LiveKit has given the dispatch of an avatar session to a worker, which may not have reported yet. Throws
   *  SERVICE_UNAVAILABLE. */
  isTaken(avatarSessionId: string): Promise<boolean>;
  /** Deletes the control room and disconnects its participants. Does nothing if there is no such room. Throws
   *  SERVICE_UNAVAILABLE. */
  closeControlRoom(avatarSessionId: string): Promise<void>;
  /** The same for any room of our server. */
  closeRoom(roomName: string): Promise<void>;
  /** Number of participants in a room of our server; 0 if there is no such room. Throws SERVICE_UNAVAILABLE. */
  countParticipants(roomName: string): Promise<number>;
  /** All rooms of our server but control rooms, the newest first. Throws SERVICE_UNAVAILABLE. */
  listRooms(): Promise<ListedRoom[]>;
  /** Calls an RPC method of any participant. Throws as `callWorker`. */
  performRpc(call: RpcCall): Promise<string>;
  /** Whether the server answers within `timeoutMs` and accepts our key. Never throws. */
  isReachable(timeoutMs: number): Promise<boolean>;
  /** A token to join one room of our server. */
  mintJoinToken(options: JoinTokenOptions): Promise<string>;
  /** Whether the server answers and is new enough, for `/readyz`. Takes at most 3 s, is cached for 10 s, and never
   *  rejects. */
  checkServer(): Promise<LiveKitServerState>;
}

/** A gateway to one server. Does not connect yet. */
export function createLiveKitGateway(options: LiveKitOptions): LiveKitGateway {
  const { apiKey, apiSecret, dispatchName = AGENT_NAME } = options;
  const httpUrl = options.url.replace(/^ws/, "http").replace(/\/+$/, "");
  const clientOptions = { requestTimeout: REQUEST_TIMEOUT_S };
  const rooms = new RoomServiceClient(httpUrl, apiKey, apiSecret, clientOptions);
  const dispatches = new AgentDispatchClient(httpUrl, apiKey, apiSecret, clientOptions);

  const mintJoinToken: LiveKitGateway["mintJoinToken"] = (join) => {
    const { identity, ttlSeconds, attributes } = join;
    const token = new AccessToken(apiKey, apiSecret, { identity, ttl: ttlSeconds, attributes });
    token.addGrant({ roomJoin: true, room: join.roomName, ...join.grant });
    if (join.kind) token.kind = join.kind;
    return token.toJwt();
  };

  const performRpc: LiveKitGateway["performRpc"] = async (call) => {
    const token = new AccessToken(apiKey, apiSecret, { identity: "api", ttl: 60 });
    token.addGrant({ roomAdmin: true, room: call.roomName });
    // livekit-server-sdk 2.19 has no PerformRpc, so this is the request that it would send.
    const response = await fetch(`${httpUrl}/twirp/livekit.RoomService/PerformRpc`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${await token.toJwt()}` },
      body: JSON.stringify({
        room: call.roomName,
        destination_identity: call.identity,
        method: call.method,
        payload: call.payload,
        response_timeout_ms: call.timeoutMs,
      }),
      signal: AbortSignal.timeout(call.timeoutMs + RPC_MARGIN_MS),
    }).catch((cause: unknown) => {
      throw unavailable(cause);
    });
    const answer: unknown = await response.json().catch(() => null);
    if (!response.ok) {
      const reason = String((answer as { msg?: unknown } | null)?.msg ?? response.status);
      if (NOT_REACHED.test(reason)) throw new NotReachedError(reason);
      throw new ServiceError("UPSTREAM_ERROR", "The avatar did not answer", { cause: new Error(reason) });
    }
    const payload = (answer as { payload?: unknown } | null)?.payload;
    return typeof payload === "string" ? payload : "";
  };

  const closeRoom: LiveKitGateway["closeRoom"] = (roomName) => reach(() => rooms.deleteRoom(roomName), undefined);

  return {
    url: canonicalLiveKitUrl(new URL(options.url)),
    publicUrl: canonicalLiveKitUrl(new URL(options.publicUrl ?? options.url)),
    apiKey,
    apiSecret,
    dispatchName,
    mintJoinToken,
    performRpc,
    checkServer: createLiveKitProbe(options),

    async dispatchWorker(avatarSessionId, metadata, onGpu = false) {
      const name = onGpu ? dispatchName + GPU_NAME_SUFFIX : dispatchName;
      const room = controlRoomOf(avatarSessionId);
      await reach(() => rooms.createRoom({ name: room, emptyTimeout: CONTROL_ROOM_SECONDS, agents: NO_OTHERS }));
      await reach(() => dispatches.createDispatch(room, name, { metadata }));
    },

    callWorker: (avatarSessionId, method, payload, timeoutMs) =>
      performRpc({ roomName: controlRoomOf(avatarSessionId), identity: AGENT_NAME, method, payload, timeoutMs }),

    async hasWorker(avatarSessionId) {
      const participants = await reach(() => rooms.listParticipants(controlRoomOf(avatarSessionId)), []);
      return participants.some((participant) => participant.identity === AGENT_NAME);
    },

    async isTaken(avatarSessionId) {
      const made = await reach(() => dispatches.listDispatch(controlRoomOf(avatarSessionId)), []);
      return made.some(({ state }) => (state?.jobs.length ?? 0) > 0);
    },

    closeControlRoom: (avatarSessionId) => closeRoom(controlRoomOf(avatarSessionId)),
    closeRoom,

    async isReachable(timeoutMs) {
      const probe = new RoomServiceClient(httpUrl, apiKey, apiSecret, { requestTimeout: timeoutMs / 1000 });
      return probe.listRooms(["readiness"]).then(
        () => true,
        () => false,
      );
    },

    async listRooms() {
      const listed = await reach(() => rooms.listRooms());
      return listed
        .filter(({ name }) => !name.startsWith(CONTROL_ROOM_PREFIX))
        .map(({ name, numParticipants: participants, numPublishers: publishers, creationTime }) => ({
          name,
          participants,
          publishers,
          createdAt: new Date(Number(creationTime) * 1000),
        }))
        .sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
    },

    async countParticipants(roomName) {
      return (await reach(() => rooms.listParticipants(roomName), [])).length;
    },
  };
}

/** Name of the control room of an avatar session. */
function controlRoomOf(avatarSessionId: string): string {
  return CONTROL_ROOM_PREFIX + avatarSessionId;
}

/** Runs a call. Returns `missing` if the server answers 404. Throws SERVICE_UNAVAILABLE for every other failure. */
async function reach<T>(call: () => Promise<T>, missing?: T): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (isNotFound(error)) return missing as T;
    throw unavailable(error);
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && (error as { status?: unknown }).status === 404;
}

function unavailable(cause: unknown): ServiceError {
  return new ServiceError("SERVICE_UNAVAILABLE", "The LiveKit server is not reachable. Try again.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}
