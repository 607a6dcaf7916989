// What the list of sessions is narrowed down to. It stands in the address, so that "back" finds it again.
import { useMemo } from "react";
import { useSearchParams } from "wouter";

const STATES = ["all", "live", "ended"] as const;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export interface SessionFilter {
  state: (typeof STATES)[number];
  /** Empty for all agents. */
  agentCode: string;
  /** A day of the reader, as 2026-11-30; empty for all. */
  day: string;
}

export interface SessionFilterAccess {
  filter: SessionFilter;
  change(part: Partial<SessionFilter>): void;
  isNarrow: boolean;
}

export function useSessionFilter(): SessionFilterAccess {
  const [search, setSearch] = useSearchParams();
  const state = STATES.find((known) => known === search.get("state")) ?? "all";
  const agentCode = search.get("agent") ?? "";
  const givenDay = search.get("day") ?? "";
  const day = DAY.test(givenDay) && !Number.isNaN(Date.parse(givenDay)) ? givenDay : "";
  const filter = useMemo(() => ({ state, agentCode, day }), [state, agentCode, day]);
  return {
    filter,
    change(part) {
      const next = { ...filter, ...part };
      const given = { state: next.state === "all" ? "" : next.state, agent: next.agentCode, day: next.day };
      setSearch(
        Object.entries(given).filter(([, value]) => value !== ""),
        { replace: true },
      );
    },
    isNarrow: state !== "all" || agentCode !== "" || day !== "",
  };
}

/** The filter as the list of the service takes it. A day begins and ends at the reader's midnight. */
export function toQuery({ agentCode, day }: SessionFilter): { agent_code?: string; start?: string; end?: string } {
  const span = day === "" ? undefined : dayOf(day);
  return {
    ...(agentCode !== "" && { agent_code: agentCode }),
    ...(span && { start: span.start.toISOString(), end: span.end.toISOString() }),
  };
}

function dayOf(day: string): { start: Date; end: Date } {
  const [year, month, date] = day.split("-").map(Number);
  return { start: new Date(year, month - 1, date), end: new Date(year, month - 1, date + 1) };
}
