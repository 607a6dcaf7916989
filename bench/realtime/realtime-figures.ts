// What the realtime benchmark measures, and what it must reach.

export interface Latency {
  p50: number;
  p95: number;
  max: number;
}

export interface RealtimeFigures {
  /** Time of an event of 20 ms of audio to the server and back, in ms: the server alone, and through the relay. */
  direct_ms: Latency;
  relayed_ms: Latency;
  /** What the relay adds at the 95th percentile, in ms. */
  added_p95_ms: number;
  /** CPU of the relay with this many calls that send and receive 50 events a second each, in percent of a core. */
  busy: { sockets: number; events_per_s: number; relay_core_percent: number };
  /** Memory (PSS) of the relay, in MB: without a call, with idle calls, and what those added. */
  idle: { sockets: number; empty_mb: number; full_mb: number; added_mb: number };
}

export const GOALS = Object.freeze({ addedP95Ms: 5, busyCorePercent: 30, idleAddedMb: 150, emptyMb: 60 });

export interface GoalRow {
  what: string;
  measured: number;
  unit: string;
  goal: number;
  isMet: boolean;
}

/** A row for each goal. */
export function goalRows({ added_p95_ms: addedMs, busy, idle }: RealtimeFigures): GoalRow[] {
  const row = (what: string, measured: number, unit: string, goal: number): GoalRow => ({
    ...{ what, measured, unit, goal },
    isMet: measured <= goal,
  });
  return [
    row("added to an event, p95", addedMs, "ms", GOALS.addedP95Ms),
    row(`${busy.sockets} busy sockets`, busy.relay_core_percent, "% of a core", GOALS.busyCorePercent),
    row(`${idle.sockets} idle sockets`, idle.added_mb, "MB", GOALS.idleAddedMb),
    row("idle relay", idle.empty_mb, "MB", GOALS.emptyMb),
  ];
}

/** The figures as lines of text. */
export function realtimeTable(figures: RealtimeFigures): string {
  const { direct_ms: direct, relayed_ms: relayed, busy, idle } = figures;
  const line = (name: string, { p50, p95, max }: Latency) =>
    `  ${name.padEnd(26)} p50 ${p50}, p95 ${p95}, max ${max} ms`;
  return [
    "Realtime relay",
    line("event, server alone", direct),
    line("event, through the relay", relayed),
    `  ${busy.sockets} busy sockets: ${busy.events_per_s} events a second each way, ${busy.relay_core_percent} % of a core`,
    `  memory: ${idle.empty_mb} MB empty, ${idle.full_mb} MB with ${idle.sockets} idle sockets`,
    ...goalRows(figures).map(
      ({ what, measured, unit, goal, isMet }) =>
        `  ${isMet ? "met   " : "missed"}  ${what}: ${measured} ${unit} (<= ${goal})`,
    ),
    "",
  ].join("\n");
}
