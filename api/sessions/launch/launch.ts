// The launch of an avatar session on our workers, as a request names it.

import type { Span } from "../../../program/telemetry/tracer.ts";
import type { Manner } from "../../../shared/manners.ts";
import type { Account } from "../../accounts/account.ts";
import type { GreetingChoice } from "../../agents/greeting.ts";
import type { PublicVisitor } from "../record/public-visits.ts";

export interface Launch {
  account: Account;
  /** Null for a visitor of a public agent. */
  secretId: string | null;
  /** Whether a person in the console launches: without credits they are told PAYWALL. Default false. */
  isConsole?: boolean;
  /** Null for a photo session without an agent. */
  agentCode: string | null;
  /** Null: chosen by the agent and the kind of session. */
  model: string | null;
  mode: string;
  /** Reads and checks the face of a photo session; null without one. Called after the rest of the request was checked.
   *  */
  readImage: (() => Promise<Uint8Array>) | null;
  hasConversation: boolean;
  /** Whether the room is one of ours. */
  isHosted: boolean;
  /** The caller's own id of the person in front of the avatar. */
  endUserId: string | null;
  /** Whether the visitor's conversations are remembered. */
  remembersVisitor: boolean;
  /** Whether visitors may render the avatar in their browsers. */
  viewersMayRender: boolean;
  /** Whether they do from the start: the session begins without a stream. */
  viewersRender: boolean;
  /** Whether the face may react to what users say. Default: true. */
  listens?: boolean;
  /** What the avatar says first. Default: the agent's own greeting. */
  greeting?: GreetingChoice;
  /** What the face shows by default, and how lively it is. Default: as the agent's. */
  emotion?: string | null;
  manner?: Manner | null;
  /** Normalised. */
  livekitUrl: string;
  /** The caller's join token for the avatar. */
  livekitToken: string;
  roomName: string;
  avatarIdentity: string;
  launchTokenId: string | null;
  /** Refuses a new session if this many of the account's sessions with the agent run. Default: no such limit. */
  maxRunningOfAgent?: number;
  /** Of a visitor of a public agent: counts against the limits of its sharing. Default: no such visit. */
  visit?: PublicVisitor;
  /** The request in its trace. Default: not traced. */
  span?: Span;
}
