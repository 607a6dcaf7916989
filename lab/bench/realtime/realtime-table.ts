// The metrics of `npm run bench -- realtime` as lines of text.
import type { Spread } from "../conversation/measure-answers.ts";
import {
  type EventMetrics,
  goalRows,
  type OwnAnswerMetrics,
  type OwnMetrics,
  type RealtimeMetrics,
  type WebRtcMetrics,
} from "./realtime-metrics.ts";

export function realtimeTable(metrics: RealtimeMetrics): string {
  const { events, webrtc, own } = metrics;
  return [
    "Realtime calls",
    ...(events ? eventLines(events) : []),
    ...(webrtc ? webrtcLines(webrtc) : []),
    ...(own ? ownLines(own) : []),
    ...goalRows(metrics).map(
      ({ what, measured, unit, goal, isMet }) =>
        `  ${isMet ? "met   " : "missed"}  ${what}: ${`${measured ?? "–"} ${unit}`.trim()} (<= ${goal})`,
    ),
    "",
  ].join("\n");
}

function eventLines({ direct_ms: direct, relayed_ms: relayed, busy, idle }: EventMetrics): string[] {
  return [
    line("event, server alone", direct),
    line("event, through the relay", relayed),
    `  ${busy.sockets} busy sockets: ${busy.events_per_s} events a second each way, ${busy.relay_core_percent} % of a core`,
    `  memory: ${idle.empty_mb} MB empty, ${idle.full_mb} MB with ${idle.sockets} idle sockets`,
  ];
}

function webrtcLines({ microphone_ms: microphone, tones, relay_core_percent: cpu, memory_mb: memory }: WebRtcMetrics) {
  return [
    line(`microphone, ${tones} tones`, microphone),
    `  CPU of the relay: ${cpu.without_call} % of a core without a call, ${cpu.silent} % silent, ${cpu.speaking} % both speak`,
    `  memory: ${memory.without_call} MB without a call, ${memory.with_call} MB with one`,
  ];
}

function ownLines({ room, websocket, webrtc }: OwnMetrics): string[] {
  const lines = (name: string, answers: OwnAnswerMetrics) => [
    line(`${name}: answer, ${answers.turns} turns`, answers.answer_ms),
    `    p50 of arrival ${answers.arrived_ms?.p50}, words ${answers.text_ms?.p50}, decision ${answers.decided_ms?.p50}, first text ${answers.first_piece_ms?.p50}, first audio ${answers.first_audio_ms?.p50}, way ${answers.way_ms?.p50} ms`,
  ];
  return [...lines("room", room), ...lines("WebSocket", websocket), ...lines("WebRTC", webrtc)];
}

function line(name: string, spread: Spread | null): string {
  const { p50, p95, max } = spread ?? { p50: "–", p95: "–", max: "–" };
  return `  ${name.padEnd(26)} p50 ${p50}, p95 ${p95}, max ${max} ms`;
}
