// How the face of a running session looks now. A still costs the session a frame, so the page seldom asks, and only
// while the page is seen.
import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { HEADER_UNATTENDED } from "../../../../shared/wire-names.ts";
import { Poster } from "../../controls/poster.tsx";
import { useConsole } from "../../data/console-context.ts";
import { useTexts } from "../../texts/texts-context.ts";

const EVERY_MS = 10_000;
const HEADERS = { [HEADER_UNATTENDED]: "1" };

/** `fallback`: shown until a still is there, and if the avatar gives none. */
export function Still({ id, fallback }: { id: string; fallback: string | null }): ReactElement {
  const { sessions: texts } = useTexts();
  const { client } = useConsole();
  const { data } = useQuery({
    queryKey: ["still", id],
    queryFn: async ({ signal }) => {
      const answer = await client.sessions.still(id, { signal, headers: HEADERS, maxRetries: 0 });
      return toDataUrl(await answer.blob());
    },
    refetchInterval: EVERY_MS,
    retry: false,
  });
  if (data === undefined) return <Poster className="session-face" url={fallback} />;
  return <img alt={texts.still} className="poster session-face" src={data} />;
}

/** The page's policy allows these, and nothing has to be given back. */
function toDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
