// What the realtime benchmark measures, and what it must reach.
import type { Spread } from "../conversation/measure-answers.ts";

export const REALTIME_PARTS = ["events", "webrtc"] as const;
export type RealtimePart = (typeof REALTIME_PARTS)[number];

/** Calls over a WebSocket. */
export interface EventFigures {
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
export interface WebRtcFigures {
  /** From the first sample of a tone at the microphone to the arrival of the event that holds it at the server, ms. */
  microphone_ms: Spread | null;
  tones: number;
  tones_lost: number;
  /** CPU of the relay: before the call, in silence, and while caller and server both speak all the time. */
  relay_core_percent: { without_call: number; silent: number; speaking: number };
  /** Memory (PSS) of the relay. */
  memory_mb: { without_call: number; with_call: number };
}

export interface RealtimeFigures {
  events?: EventFigures;
  webrtc?: WebRtcFigures;
}

export const GOALS = Object.freeze({
  addedP95Ms: 5,
  busyCorePercent: 30,
  idleAddedMb: 150,
  emptyMb: 60,
  webrtcCorePercent: 12,
  microphoneMs: 100,
});

export interface GoalRow {
  what: string;
  /** Null if it could not be measured. */
  measured: number | null;
  unit: string;
  goal: number;
  isMet: boolean;
}

/** A row for each goal whose part was measured. */
export function goalRows({ events, webrtc }: RealtimeFigures): GoalRow[] {
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
  return rows;
}
