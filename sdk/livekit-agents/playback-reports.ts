// The avatar's reports of what it has played, received as RPC calls. A participant has one handler for each method, so
// the calls of all avatars in its room arrive here and are told apart by the caller.
import type { voice } from "@livekit/agents";
import type { LocalParticipant, RpcInvocationData } from "@livekit/rtc-node";
import { RPC_PLAYBACK_FINISHED, RPC_PLAYBACK_STARTED } from "../../shared/wire-names.ts";

/** What is done with the reports of one avatar. */
export interface PlaybackReports {
  onStarted(): void;
  onFinished(event: voice.PlaybackFinishedEvent): void;
}

/** Receivers by the avatar's identity, for each participant: a process may be in several rooms. */
const receivers = new WeakMap<LocalParticipant, Map<string, PlaybackReports>>();

/** Receives reports of the avatar until the returned function is called. */
export function receiveReports(participant: LocalParticipant, identity: string, reports: PlaybackReports): () => void {
  const byIdentity = receivers.get(participant) ?? registerMethods(participant);
  byIdentity.set(identity, reports);
  return () => {
    if (byIdentity.get(identity) === reports) byIdentity.delete(identity);
  };
}

function registerMethods(participant: LocalParticipant): Map<string, PlaybackReports> {
  const byIdentity = new Map<string, PlaybackReports>();
  receivers.set(participant, byIdentity);
  const register = (method: string, receive: (reports: PlaybackReports, call: RpcInvocationData) => void) =>
    participant.registerRpcMethod(method, async (call) => {
      const reports = byIdentity.get(call.callerIdentity);
      if (!reports) return "reject";
      receive(reports, call);
      return "ok";
    });
  register(RPC_PLAYBACK_STARTED, (reports) => reports.onStarted());
  register(RPC_PLAYBACK_FINISHED, (reports, { payload }) => reports.onFinished(parseFinished(payload)));
  return byIdentity;
}

/** Never throws: a report that cannot be read ends its segment all the same, because the agent waits for it. */
function parseFinished(payload: string): voice.PlaybackFinishedEvent {
  const { playback_position, interrupted, synchronized_transcript } = parseObject(payload);
  return {
    playbackPosition: typeof playback_position === "number" ? playback_position : 0,
    interrupted: interrupted === true,
    synchronizedTranscript: typeof synchronized_transcript === "string" ? synchronized_transcript : undefined,
  };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
