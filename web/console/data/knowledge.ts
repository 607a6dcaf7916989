// Knowledge bases and their source files, for the views that show them.
import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import type { KnowledgeBase, KnowledgeBaseDetail, KnowledgeFilesListResponse } from "../../../sdk/client/index.ts";
import { useConsole } from "./console-context.ts";
import { isThere } from "./deleted-queries.ts";

const PAGE_SIZE = 50;

/** Whether a build waits or runs. */
export function isBuilding({ status }: Pick<KnowledgeBase, "status">): boolean {
  return status === "queued" || status === "building";
}

/** The bases of the organization for which the person acts. */
export function useKnowledgeBases(): UseQueryResult<KnowledgeBase[]> {
  const { client, organizationId } = useConsole();
  return useQuery({
    queryKey: ["knowledge", "bases", organizationId],
    queryFn: async ({ signal }) => (await client.knowledgeBases.list({ signal })).items,
  });
}

export function useKnowledgeBase(id: string): UseQueryResult<KnowledgeBaseDetail> {
  const { client } = useConsole();
  return useQuery({
    queryKey: ["knowledge", "base", id],
    queryFn: ({ signal }) => client.knowledgeBases.get(id, { signal }),
  });
}

/** All source files of the organization, newest first, with the space that they take. */
export function useKnowledgeFiles(): UseInfiniteQueryResult<InfiniteData<KnowledgeFilesListResponse>> {
  const { client, organizationId } = useConsole();
  return useInfiniteQuery({
    queryKey: ["knowledge", "files", organizationId],
    queryFn: async ({ pageParam, signal }) =>
      (await client.knowledgeFiles.list({ limit: PAGE_SIZE, offset: pageParam }, { signal })).body,
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => (pages.length * PAGE_SIZE < total ? pages.length * PAGE_SIZE : undefined),
  });
}

/** Asks for everything about knowledge again. */
export function useKnowledgeChange(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ["knowledge"], predicate: isThere });
}
