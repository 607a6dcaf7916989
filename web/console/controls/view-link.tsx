// A link to another view of the console, from within any view; nothing where the view is hidden.
import type { ReactElement } from "react";
import { Link } from "wouter";
import type { ConsoleViewName } from "../../../shared/console-views.ts";
import { useConsole } from "../data/console-context.ts";

export interface ViewLinkProps {
  to: ConsoleViewName;
  /** Below the view, without a slash in front. */
  part?: string;
  /** Of its address: narrows its list down. */
  search?: Readonly<Record<string, string>>;
  words: string;
  className?: string;
}

export function ViewLink({ to, part, search, words, className }: ViewLinkProps): ReactElement | null {
  const { views, root } = useConsole();
  if (!views.includes(to)) return null;
  // "~" makes an address that does not depend on the view in which the link is.
  const base = new URL(`console/${to}`, root).pathname;
  const query = search === undefined ? "" : `?${new URLSearchParams(search)}`;
  return (
    <Link className={className} href={`~${base}${part === undefined ? "" : `/${part}`}${query}`}>
      {words}
    </Link>
  );
}
