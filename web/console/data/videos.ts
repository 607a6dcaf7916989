// The account's talking videos.
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import type { TalkingVideo, VideosListResponse } from "../../../sdk/client/index.ts";
import { useConsole } from "./console-context.ts";

const PAGE_SIZE = 20;

export interface VideoFilter {
  status?: TalkingVideo["status"];
  agentCode?: string;
}

/** Those that match, newest first. */
export function useVideos(filter: VideoFilter): UseInfiniteQueryResult<InfiniteData<VideosListResponse>> {
  const { status, agentCode } = filter;
  const { client } = useConsole();
  return useInfiniteQuery({
    queryKey: ["videos", "list", status ?? "", agentCode ?? ""],
    queryFn: async ({ pageParam, signal }) =>
      (await client.videos.list({ limit: PAGE_SIZE, offset: pageParam, status, agent_code: agentCode }, { signal }))
        .body,
    initialPageParam: 0,
    getNextPageParam: ({ pagination }, pages) => (pagination.has_more ? pages.length * PAGE_SIZE : undefined),
  });
}
