// The head of a view: its title, a sentence that leads, and its main action.
import type { ReactElement, ReactNode } from "react";
import { Link } from "wouter";
import { useTexts } from "../texts/texts-context.ts";

export interface PageProps {
  title: string;
  lead?: ReactNode;
  /** Buttons beside the title. */
  actions?: ReactNode;
  /** Where "Back" leads, within the view; without it there is none. */
  back?: string;
  children: ReactNode;
}

export function Page({ title, lead, actions, back, children }: PageProps): ReactElement {
  const { shell } = useTexts();
  return (
    <div className="page">
      {back !== undefined && (
        <Link className="back" href={back}>
          {shell.back}
        </Link>
      )}
      <header className="page-head">
        <h1>{title}</h1>
        {actions && <div className="row">{actions}</div>}
      </header>
      {lead && <p className="lead">{lead}</p>}
      {children}
    </div>
  );
}

export interface PanelProps {
  title: string;
  children: ReactNode;
  /** Buttons beside the title. */
  actions?: ReactNode;
}

/** A part of a view with a title of its own. */
export function Panel({ title, actions, children }: PanelProps): ReactElement {
  return (
    <section aria-label={title} className="panel">
      <header className="panel-head">
        <h2>{title}</h2>
        {actions && <div className="row">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
