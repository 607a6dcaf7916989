// One knowledge base: its state, documents, a search, the agents that use it, and its settings.
import { useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import { useLocation, useParams } from "wouter";
import type { KnowledgeBaseDetail } from "../../../../sdk/client/index.ts";
import { atOwnOrigin } from "../../../shared/at-own-origin.ts";
import { CodeExample } from "../../controls/code-example.tsx";
import { ConfirmDialog } from "../../controls/dialog.tsx";
import { Page, Panel } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { Reason } from "../../controls/reason.tsx";
import { useAction } from "../../controls/use-action.ts";
import { ViewLink } from "../../controls/view-link.tsx";
import { useConsole } from "../../data/console-context.ts";
import { deleteShown } from "../../data/deleted-queries.ts";
import { isBuilding, useKnowledgeBase, useKnowledgeChange } from "../../data/knowledge.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { BaseSettings } from "./base-settings.tsx";
import { BaseStatus } from "./base-status.tsx";
import { BuildOutcome } from "./build-outcome.tsx";
import { DocumentsPanel } from "./documents-panel.tsx";
import { SearchPanel } from "./search-panel.tsx";

export function BasePage(): ReactElement {
  const { knowledge } = useTexts();
  const { id = "" } = useParams<{ id: string }>();
  const query = useKnowledgeBase(id);
  return (
    <Page back="/" title={query.data?.name ?? knowledge.title}>
      <QueryResult query={query}>
        {(base) => (
          <>
            <StatusPanel base={base} />
            <DocumentsPanel base={base} />
            <SearchPanel base={base} />
            <AgentsPanel base={base} />
            <SettingsPanel base={base} />
          </>
        )}
      </QueryResult>
    </Page>
  );
}

function StatusPanel({ base }: { base: KnowledgeBaseDetail }): ReactElement {
  const { knowledge } = useTexts();
  const { client } = useConsole();
  const changed = useKnowledgeChange();
  const build = useAction(async () => {
    try {
      await client.knowledgeBases.rebuild(base.id);
    } finally {
      // What was refused is told at once.
      void changed();
    }
  });
  return (
    <section className="panel">
      <div className="row" role="status">
        <BaseStatus status={base.status} />
        <span>{knowledge.statusNotes[base.status]}</span>
      </div>
      {base.error_message && <Reason message={base.error_message} />}
      <div className="row">
        <Button
          className={base.status === "stale" || base.status === "failed" ? "main" : undefined}
          isDisabled={build.isBusy}
          onPress={() => void build.run()}
        >
          {knowledge.build}
        </Button>
        {base.artifact_url && !isBuilding(base) && (
          <a className="button" download href={atOwnOrigin(base.artifact_url)}>
            {knowledge.passages}
          </a>
        )}
      </div>
      <BuildOutcome error={build.error} />
    </section>
  );
}

function AgentsPanel({ base: { agents, agent_count } }: { base: KnowledgeBaseDetail }): ReactElement {
  const { knowledge } = useTexts();
  const others = agent_count - agents.length;
  return (
    <Panel title={knowledge.agents}>
      {agents.length === 0 && <p>{knowledge.noAgents}</p>}
      <ul className="rows">
        {agents.map(({ code, name }) => (
          <li key={code}>
            <div dir="auto">
              <ViewLink part={code} to="agents" words={name || code} />
            </div>
          </li>
        ))}
      </ul>
      {others > 0 && <p className="fine">{knowledge.othersAgents(others)}</p>}
    </Panel>
  );
}

function SettingsPanel({ base }: { base: KnowledgeBaseDetail }): ReactElement {
  const { knowledge, shell } = useTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const changed = useKnowledgeChange();
  const [, go] = useLocation();
  const [isAsking, setAsking] = useState(false);
  return (
    <Panel title={knowledge.settings}>
      <BaseSettings base={base} />
      <Button onPress={() => setAsking(true)}>{knowledge.delete}</Button>
      <CodeExample
        request={{ method: "POST", path: `/v1/knowledge/kbs/${base.id}/search`, body: { query: "…", limit: 5 } }}
      />
      <ConfirmDialog
        action={shell.delete}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await deleteShown(queries, [["knowledge", "base", base.id]], () => client.knowledgeBases.delete(base.id));
          go("/");
          await changed();
        }}
        title={knowledge.delete}
        words={
          <p dir="auto">
            <strong>{base.name}</strong>: {knowledge.deleteWords}
          </p>
        }
      />
    </Panel>
  );
}
