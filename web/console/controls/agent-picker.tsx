// Chooses one of the account's agents: a search, cards, and more below. In a form, a field that opens it.
import { type ReactElement, type ReactNode, useState } from "react";
import { Button } from "react-aria-components";
import type { AgentSummary } from "../../../sdk/client/index.ts";
import { type AgentFilter, useAgent, useAgents } from "../data/agents.ts";
import { useTexts } from "../texts/texts-context.ts";
import { AgentCard } from "./agent-card.tsx";
import { Dialog } from "./dialog.tsx";
import { EmptyView } from "./empty-view.tsx";
import { TextField } from "./field.tsx";
import { LoadMore } from "./load-more.tsx";
import { Poster } from "./poster.tsx";
import { QueryResult } from "./query-result.tsx";
import { useSettled } from "./use-settled.ts";
import { ViewLink } from "./view-link.tsx";

const TYPING_PAUSE_MS = 250;

export interface AgentPickerProps {
  /** Where each card leads, within the view; or what a card does. */
  to: ((code: string) => string) | { choose(agent: AgentSummary): void };
  /** Only agents of this status. Default: all. */
  status?: AgentFilter["status"];
  /** Fields beside the search. */
  filters?: ReactNode;
}

export function AgentPicker({ to, status, filters }: AgentPickerProps): ReactElement {
  const { agents, shell } = useTexts();
  const [text, setText] = useState("");
  const search = useSettled(text.trim(), TYPING_PAUSE_MS);
  const list = useAgents({ search, status });
  const isFiltered = search !== "" || status !== undefined;
  const create = <ViewLink className="button main" to="create" words={agents.create} />;
  return (
    <QueryResult
      empty={isFiltered ? undefined : <EmptyView action={create} request={CREATE_REQUEST} words={agents.empty} />}
      isEmpty={({ pages }) => pages[0].total === 0 && !isFiltered}
      query={list}
    >
      {({ pages }) => (
        <>
          <search className="agent-search">
            <TextField label={shell.search} maxLength={100} onChange={setText} type="search" value={text} />
            {filters}
          </search>
          <p className="fine" role="status">
            {agents.count(pages[0].total)}
          </p>
          <ul className="cards">
            {pages.flatMap((page) =>
              page.agents.map((agent) => (
                <li key={agent.code}>
                  <AgentCard agent={agent} to={typeof to === "function" ? { href: to(agent.code) } : to} />
                </li>
              )),
            )}
          </ul>
          <LoadMore query={list} />
        </>
      )}
    </QueryResult>
  );
}

/** The call that makes a first agent. */
const CREATE_REQUEST = {
  method: "POST",
  path: "/v1/agent/generate",
  body: { prompt: "You are a patient museum guide. Answer in two sentences.", model: "essence-2" },
} as const;

export interface AgentFieldProps {
  label: string;
  /** Null: none is chosen yet. */
  code: string | null;
  onChange(code: string): void;
  status?: AgentFilter["status"];
  isDisabled?: boolean;
}

/** The chosen agent, and a dialog to choose another. */
export function AgentField({ label, code, onChange, status, isDisabled }: AgentFieldProps): ReactElement {
  const { agents } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const { data } = useAgent(code);
  const name = code === null ? agents.choose : data?.name || code;
  return (
    <div className="field">
      <span aria-hidden="true">{label}</span>
      <Button
        aria-label={`${label}: ${name}`}
        className="agent-field"
        isDisabled={isDisabled}
        onPress={() => setOpen(true)}
      >
        <Poster className="small" url={data?.poster_url ?? null} />
        <span dir="auto">{name}</span>
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={agents.choose}>
        <AgentPicker
          status={status}
          to={{
            choose: (agent) => {
              onChange(agent.code);
              setOpen(false);
            },
          }}
        />
      </Dialog>
    </div>
  );
}
