// What the realtime benchmark measures, and what it must reach.
import type { Spread } from "../conversation/measure-answers.ts";

export const REALTIME_PARTS = ["events", "webrtc", "own"] as const;
export type RealtimePart = (typeof REALTIME_PARTS)[number];

/** Calls over a WebSocket. */
export interface EventMetrics {
  /** Time of an event of 20 ms of audio to the server and back, in ms: the server alone, and through the relay. */
  direct_ms: Spread;
  relayed_ms: Spread;
  /** What the relay adds at the 95th percentile, in ms. */
  added_p95_ms: number;
  /** CPU of the relay with this many calls that send and receive 50 events a second each, in percent of a core. */
  busy: { sockets: number; events_per_s: number; relay_core_percent: number };
  /** Memory (PSS) of the relay, in MB: without a call, with idle calls, and what those added. */
  idle: { sockets: number; empty_mb: number; full_mb: number; added_mb: number };
}

/** One call over WebRTC. */
export interface WebRtcMetrics {
  /** From the first sample of a tone at the microphone to the arrival of the event that holds it at the server, ms. */
  microphone_ms: Spread | null;
  tones: number;
  tones_lost: number;
  /** CPU of the relay: before the call, in silence, and while caller and server both speak all the time. */
  relay_core_percent: { without_call: number; silent: number; speaking: number };
  /** Memory (PSS) of the relay. */
  memory_mb: { without_call: number; with_call: number };
}

/** Answers as one of the callers got them, ms from the end of speech at the microphone. */
export interface OwnAnswerMetrics {
  turns: number;
  unanswered: number;
  /** The first sound; over a WebSocket as a client hears it that plays at once. */
  answer_ms: Spread | null;
  /** Over a WebSocket: arrival of the first audio, which begins with the voice's own silence. */
  arrived_ms: Spread | null;
  /** As the worker saw it: the words, the decision, the first piece of text, the first audio of the voice. */
  text_ms: Spread | null;
  decided_ms: Spread | null;
  first_piece_ms: Spread | null;
  first_audio_ms: Spread | null;
  /** What is left: the way of the microphone and of the answer, and silence before its first sound. */
  way_ms: Spread | null;
}

/** `service-realtime` beside a conversation in a room, with the same parts, question after question. */
export interface OwnMetrics {
  room: OwnAnswerMetrics;
  websocket: OwnAnswerMetrics;
  webrtc: OwnAnswerMetrics;
  /** Medians of what a call took longer than the room for the same question, ms; null without answers. */
  added_ms: { websocket: number | null; webrtc: number | null };
}

export interface RealtimeMetrics {
  events?: EventMetrics;
  webrtc?: WebRtcMetrics;
  own?: OwnMetrics;
}

const GOALS = Object.freeze({
  addedP95Ms: 5,
  busyCorePercent: 30,
  idleAddedMb: 150,
  emptyMb: 60,
  webrtcCorePercent: 12,
  microphoneMs: 100,
  ownAddedMs: 100,
});

export interface GoalRow {
  what: string;
  /** Null if it could not be measured. */
  measured: number | null;
  unit: string;
  goal: number;
  isMet: boolean;
}

/** A row for each goal of a measured part. */
export function goalRows({ events, webrtc, own }: RealtimeMetrics): GoalRow[] {
  const rows: GoalRow[] = [];
  const most = (what: string, measured: number | null | undefined, goal: number, unit: string) =>
    rows.push({ what, measured: measured ?? null, unit, goal, isMet: (measured ?? Infinity) <= goal });
  if (events) {
    const { busy, idle } = events;
    most("added to an event, p95", events.added_p95_ms, GOALS.addedP95Ms, "ms");
    most(`${busy.sockets} busy sockets`, busy.relay_core_percent, GOALS.busyCorePercent, "% of a core");
    most(`${idle.sockets} idle sockets`, idle.added_mb, GOALS.idleAddedMb, "MB");
    most("idle relay", idle.empty_mb, GOALS.emptyMb, "MB");
  }
  if (webrtc) {
    const { silent, speaking } = webrtc.relay_core_percent;
    most("WebRTC call, both speak", speaking, GOALS.webrtcCorePercent, "% of a core");
    most("WebRTC call, silent", silent, GOALS.webrtcCorePercent, "% of a core");
    most("microphone to server, p50", webrtc.microphone_ms?.p50, GOALS.microphoneMs, "ms");
    most("microphone to server, p95", webrtc.microphone_ms?.p95, GOALS.microphoneMs, "ms");
    most("tones that did not arrive", webrtc.tones_lost, 0, "");
  }
  if (own) {
    const { room, websocket, webrtc: call, added_ms: added } = own;
    most("answer beside a room's, WebSocket", added.websocket, GOALS.ownAddedMs, "ms");
    most("answer beside a room's, WebRTC", added.webrtc, GOALS.ownAddedMs, "ms");
    most("turns without an answer", room.unanswered + websocket.unanswered + call.unanswered, 0, "");
  }
  return rows;
}
