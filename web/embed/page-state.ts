// States of the page. `connecting`: requesting a session, joining, or waiting for the first frame. `live`: frames
// arrive. `reconnecting`: the room or the avatar was lost and may come back. `ended`: over; only `retry` leads out of
// it.
//
//   connecting -> live, reconnecting, ended      live -> reconnecting, ended
//   reconnecting -> live, ended                  ended -> connecting (retry)
import type { StageState } from "../shared/stage/stage.ts";
import type { Notice } from "./plain-words.ts";

export type PageState =
  | { name: "connecting"; isRetry: boolean }
  | { name: "live" }
  | { name: "reconnecting" }
  | { name: "ended"; notice: Notice };

export type PageEvent =
  | { type: "frame-shown" }
  | { type: "connection-lost" }
  | { type: "avatar-lost" }
  | { type: "ended"; notice: Notice }
  | { type: "retry" };

/** The state after an event. Events that make no sense in a state leave it as it is: they come late from the network.
 *  */
export function nextState(state: PageState, event: PageEvent): PageState {
  if (state.name === "ended") {
    return event.type === "retry" && state.notice.canRetry ? { name: "connecting", isRetry: true } : state;
  }
  switch (event.type) {
    case "frame-shown":
      return { name: "live" };
    case "connection-lost":
      return { name: "reconnecting" };
    case "avatar-lost":
      return state.name === "live" ? { name: "reconnecting" } : state;
    case "ended":
      return { name: "ended", notice: event.notice };
    case "retry":
      return state;
  }
}

/** What the stage shows: of a live avatar what it does, by `lk.agent.state`. It listens only to an open microphone. */
export function stageState(state: PageState, agentState: string | undefined, isMicrophoneOn: boolean): StageState {
  if (state.name === "connecting") return "waiting";
  if (state.name === "reconnecting") return "lost";
  if (state.name === "ended") return "away";
  if (agentState === "thinking" || agentState === "speaking") return agentState;
  return isMicrophoneOn ? "listening" : "idle";
}
