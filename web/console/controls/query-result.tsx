// An answer of the service in its states: waiting, refused, offline, empty, there, and there but old.
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactElement, type ReactNode, useState } from "react";
import { useTexts } from "../texts/texts-context.ts";
import { Problem } from "./problem.tsx";

export interface QueryResultProps<T> {
  query: UseQueryResult<T>;
  /** Whether there is nothing to show. Default: never. */
  isEmpty?(data: T): boolean;
  /** What an empty view says to do: an `EmptyView`. */
  empty?: ReactNode;
  children(data: T): ReactNode;
}

export function QueryResult<T>({ query, isEmpty = () => false, empty, children }: QueryResultProps<T>): ReactElement {
  const { shell } = useTexts();
  const retry = () => void query.refetch();
  const [lastError, setLastError] = useState<Error | null>(null);
  if (query.error !== null && query.error !== lastError) setLastError(query.error);
  if (query.data === undefined) {
    // The problem stays while the query tries again: its button keeps the focus.
    const error = query.errorUpdateCount > 0 ? (query.error ?? lastError) : null;
    return error !== null ? (
      <Problem error={error} retry={retry} />
    ) : (
      <p className="waiting" role="status">
        {shell.loading}
      </p>
    );
  }
  return (
    <>
      {query.isError && <Problem error={query.error} retry={retry} />}
      {isEmpty(query.data) ? empty : children(query.data)}
    </>
  );
}
