import { AccessToken, AgentDispatchClient } from "livekit-server-sdk";
import { type DispatchMetadata, dispatchMetadataSchema } from "../../../shared/runtime-api.ts";
import {
  AGENT_NAME,
  GPU_NAME_SUFFIX,
  RPC_ADD_CONTEXT,
  RPC_END,
  RPC_SPEAK,
  RPC_STILL,
  RPC_TURNS,
  RPC_TYPE_TEXT,
} from "../../../shared/wire-names.ts";
import type { LiveKitAccess } from "../livekit/use-livekit.ts";
import { TestRoom } from "../rooms/test-room.ts";
import { waitFor } from "../wait-for.ts";

/** What the worker's face looks like. */
export const WORKER_STILL = Uint8Array.of(0xff, 0xd8, 0xff, 0xd9);

export interface ControlRoomWorker {
  /** What the dispatch carried. */
  metadata: DispatchMetadata;
  /** RPC calls received, in order. */
  calls: { method: string; payload: unknown }[];
  /** Number of calls that came after `die`. */
  readonly unanswered: number;
  /** Methods to answer with `ok: false`; none at first. */
  declined: Set<string>;
  /** From now on no call is answered, as if the process had died and LiveKit had not noticed yet. */
  die(): void;
  /** Leaves the control room. Idempotent. */
  leave(): Promise<void>;
}

/** Waits for the dispatch of an avatar session and returns its metadata. A session that is dispatched again gets a new
 *  room. */
export function findDispatch(access: LiveKitAccess, avatarSessionId: string): Promise<DispatchMetadata> {
  return waitFor(() => readDispatch(access, avatarSessionId), `a dispatch for ${avatarSessionId}`);
}

/** The metadata of an avatar session's dispatch; undefined if there is none now. */
export async function readDispatch(
  access: LiveKitAccess,
  avatarSessionId: string,
): Promise<DispatchMetadata | undefined> {
  const client = new AgentDispatchClient(access.url.replace(/^ws/, "http"), access.apiKey, access.apiSecret);
  // Until the room exists the server answers with an error. It adds a dispatch without a name to every room, which is
  // not ours.
  const dispatches = await client.listDispatch(`ctl-${avatarSessionId}`).catch(() => []);
  const names = [access.dispatchName, access.dispatchName + GPU_NAME_SUFFIX];
  const dispatch = dispatches.find(({ agentName }) => names.includes(agentName));
  return dispatch && dispatchMetadataSchema.parse(JSON.parse(dispatch.metadata));
}

/** Joins the control room of an avatar session as its worker. */
export async function joinControlRoom(access: LiveKitAccess, avatarSessionId: string): Promise<ControlRoomWorker> {
  const metadata = await findDispatch(access, avatarSessionId);
  const token = new AccessToken(access.apiKey, access.apiSecret, { identity: AGENT_NAME });
  token.addGrant({ roomJoin: true, room: `ctl-${avatarSessionId}` });
  const room = new TestRoom();
  const calls: ControlRoomWorker["calls"] = [];
  const declined = new Set<string>();
  let isDead = false;
  let unanswered = 0;
  await room.connect(access.url, await token.toJwt());
  for (const method of [RPC_SPEAK, RPC_ADD_CONTEXT, RPC_TYPE_TEXT, RPC_STILL, RPC_TURNS, RPC_END]) {
    room.localParticipant?.registerRpcMethod(method, async ({ payload }) => {
      if (isDead) {
        unanswered += 1;
        return new Promise<string>(() => {});
      }
      calls.push({ method, payload: JSON.parse(payload) });
      const jpeg = method === RPC_STILL && !declined.has(method) && Buffer.from(WORKER_STILL).toString("base64");
      const turns = method === RPC_TURNS && !declined.has(method) && [];
      return JSON.stringify({ ok: !declined.has(method), ...(jpeg && { jpeg }), ...(turns && { turns }) });
    });
  }
  const die = () => {
    isDead = true;
  };
  return {
    metadata,
    calls,
    declined,
    die,
    leave: () => room.disconnect(),
    get unanswered() {
      return unanswered;
    },
  };
}
