// The button below a list that has more pages.
import type { ReactElement } from "react";
import { Button } from "react-aria-components";
import { useTexts } from "../texts/texts-context.ts";
import { Problem } from "./problem.tsx";

/** The part of an infinite query that it needs. */
export interface PagedQuery {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: unknown;
  fetchNextPage(): unknown;
}

export function LoadMore({ query }: { query: PagedQuery }): ReactElement | null {
  const { shell } = useTexts();
  if (!query.hasNextPage) return null;
  const load = () => void query.fetchNextPage();
  if (query.isFetchNextPageError) return <Problem error={query.error} retry={load} />;
  return (
    <Button isDisabled={query.isFetchingNextPage} onPress={load}>
      {query.isFetchingNextPage ? shell.loading : shell.showMore}
    </Button>
  );
}
