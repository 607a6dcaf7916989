// The account's agents, for the views that list or choose them.
import {
  type InfiniteData,
  keepPreviousData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import type { Agent, AgentSummary, AgentSummaryStatus } from "../../../sdk/client/index.ts";
import { useConsole } from "./console-context.ts";

/** Fills the rows of a wide window. */
const PAGE_SIZE = 24;
const FINAL: readonly string[] = ["ready", "failed", "success", "deleted"];

export interface AgentFilter {
  /** Part of a name or code. Default: all. */
  search?: string;
  /** Default: all but deleted ones. */
  status?: Exclude<AgentSummaryStatus, "deleted">;
}

interface AgentPage {
  agents: AgentSummary[];
  /** Agents on all pages. */
  total: number;
  hasMore: boolean;
}

/** The agents that match, newest first. While another search is under way, the former result stays. */
export function useAgents({ search = "", status }: AgentFilter): UseInfiniteQueryResult<InfiniteData<AgentPage>> {
  const { client } = useConsole();
  return useInfiniteQuery({
    queryKey: ["agents", "list", search, status ?? ""],
    queryFn: async ({ pageParam, signal }): Promise<AgentPage> => {
      const query = { limit: PAGE_SIZE, offset: pageParam, deleted: "false" as const, search, status };
      const { items, body, hasMore } = await client.agents.list(query, { signal });
      return { agents: items, total: body.pagination.total, hasMore };
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.hasMore ? pages.length * PAGE_SIZE : undefined),
    placeholderData: keepPreviousData,
  });
}

/** The full record of an agent. `code` null: nothing is asked. */
export function useAgent(code: string | null): UseQueryResult<Agent> {
  const { client } = useConsole();
  return useQuery({
    queryKey: ["agents", code],
    queryFn: ({ signal }) => client.agents.get(code ?? "", { signal }),
    enabled: code !== null,
  });
}

/** Whether a creation or regeneration is under way, or waits for face marks. */
export function isInCreation({ status }: { status: string }): boolean {
  return !FINAL.includes(status);
}
