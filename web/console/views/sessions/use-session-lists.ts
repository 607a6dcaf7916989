// The sessions of the account, running and ended, page by page.
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ReportedSession, SessionList } from "../../../../sdk/client/index.ts";
import { useConsole } from "../../data/console-context.ts";
import { type SessionFilter, toQuery } from "./use-session-filter.ts";

const LIVE_PAGE = 200;
const ENDED_PAGE = 50;
const MAX_AGENTS = 500;
const AGENT_PAGE = 100;

interface SessionsOnPage {
  sessions: ReportedSession[];
  totals: Omit<SessionList, "sessions">;
  /** Sessions on all pages. */
  total: number;
  hasMore: boolean;
}

export type SessionPages = UseInfiniteQueryResult<InfiniteData<SessionsOnPage>>;

/** Those that the filter leaves, newest first. */
export function useSessions(window: "live" | "ended", filter: SessionFilter): SessionPages {
  const { client, person } = useConsole();
  const limit = window === "live" ? LIVE_PAGE : ENDED_PAGE;
  const query = toQuery(filter);
  return useInfiniteQuery({
    queryKey: ["sessions", window, query],
    queryFn: async ({ pageParam, signal }): Promise<SessionsOnPage> => {
      const wanted = { ...query, window, limit, offset: pageParam };
      const { items, body, hasMore } = await client.sessions.list(person.user_id, wanted, { signal });
      const { sessions: _, ...totals } = body.data;
      return { sessions: items, totals, total: body.pagination.total, hasMore };
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.hasMore ? pages.length * limit : undefined),
    enabled: filter.state === "all" || filter.state === window,
  });
}

export interface KnownAgent {
  code: string;
  name: string;
  posterUrl: string | null;
}

/** The account's agents by code, the newest 500; empty until they are known. */
export function useKnownAgents(): ReadonlyMap<string, KnownAgent> {
  const { client } = useConsole();
  const { data = NO_AGENTS } = useQuery({
    queryKey: ["agents", "known"],
    queryFn: async ({ signal }) => {
      const agents = new Map<string, KnownAgent>();
      for await (const { code, name, poster_url } of client.agents.list({ limit: AGENT_PAGE }, { signal })) {
        agents.set(code, { code, name: name || code, posterUrl: poster_url });
        if (agents.size === MAX_AGENTS) break;
      }
      return agents;
    },
  });
  return data;
}

const NO_AGENTS: ReadonlyMap<string, KnownAgent> = new Map();
