// Lets the views ask again for what has changed.
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ConnectionError } from "../../../sdk/client/index.ts";
import { CHANGES_PATH, type ChangeNoun } from "../../../shared/change-nouns.ts";
import { RequestError } from "../../shared/request-error.ts";
import type { Changed } from "./change-source.ts";
import { Changes, type ChangesMode } from "./changes.ts";
import { CollectedChanges } from "./collect-changes.ts";
import { isThere } from "./deleted-queries.ts";
import { later } from "./later.ts";

/** Keys of queries that show a noun, besides those that begin with it. */
const MORE_KEYS: Partial<Record<ChangeNoun, readonly string[]>> = { secrets: ["sign-ins"] };

export interface ChangesPlace {
  /** Address of the start page. */
  root: URL;
  /** The organization for which the person acts; null for none. */
  organizationId: string | null;
}

/** How changes arrive now; undefined until that is known. Queries with a key that begins with a changed noun ask again,
 *  if a view shows them now. */
export function useChanges({ root, organizationId }: ChangesPlace): ChangesMode | undefined {
  const queries = useQueryClient();
  const [mode, setMode] = useState<ChangesMode>();
  const isReached = useReached(queries);
  useEffect(() => {
    const url = new URL(CHANGES_PATH.slice(1), root);
    if (organizationId !== null) url.searchParams.set("organization_id", organizationId);
    const collected = new CollectedChanges((changed) => askAgain(queries, changed), later);
    const changes = new Changes({
      url: url.href,
      onChange: (changed) => collected.add(changed),
      // A service that takes longer than five seconds gets no second request beside the first.
      onPoll: () => void queries.invalidateQueries({ predicate: isThere }, { cancelRefetch: false }),
      onMode: setMode,
    });
    return () => {
      changes.close();
      collected.close();
    };
  }, [queries, root, organizationId]);
  return mode === "polling" && !isReached ? "offline" : mode;
}

function askAgain(queries: QueryClient, changed: Changed): void {
  if (changed === "all") {
    void queries.invalidateQueries({ predicate: isThere });
    return;
  }
  const keys = new Set<unknown>(changed.flatMap((noun) => [noun, ...(MORE_KEYS[noun] ?? [])]));
  void queries.invalidateQueries({ predicate: (query) => keys.has(query.queryKey[0]) && isThere(query) });
}

/** Whether the last answer came from the service. */
function useReached(queries: QueryClient): boolean {
  const [isReached, setReached] = useState(true);
  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        if (event.type !== "updated") return;
        if (event.action.type === "success") setReached(true);
        // Each try that fails counts: the last one of a query may be long away.
        if (event.action.type === "failed" || event.action.type === "error")
          setReached(!isUnreached(event.action.error));
      }),
    [queries],
  );
  return isReached;
}

function isUnreached(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof RequestError && error.code === "NETWORK");
}
