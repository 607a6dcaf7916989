// The account's talking videos.
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import type { TalkingVideo, VideosListResponse } from "../../../sdk/client/index.ts";
import { useConsole } from "./console-context.ts";

const PAGE_SIZE = 20;

/** Newest first. `status`: only those in this state. */
export function useVideos(status?: TalkingVideo["status"]): UseInfiniteQueryResult<InfiniteData<VideosListResponse>> {
  const { client } = useConsole();
  return useInfiniteQuery({
    queryKey: ["videos", "list", status ?? ""],
    queryFn: async ({ pageParam, signal }) =>
      (await client.videos.list({ limit: PAGE_SIZE, offset: pageParam, status }, { signal })).body,
    initialPageParam: 0,
    getNextPageParam: ({ pagination }, pages) => (pagination.has_more ? pages.length * PAGE_SIZE : undefined),
  });
}
