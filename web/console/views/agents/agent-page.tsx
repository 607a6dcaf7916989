// One agent: what it is, and all that can be changed about it.
import type { ReactElement } from "react";
import { AgentStatus } from "../../controls/agent-status.tsx";
import { Page } from "../../controls/page.tsx";
import { Poster } from "../../controls/poster.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useAgent } from "../../data/agents.ts";
import { useTexts } from "../../texts/texts-context.ts";

export function AgentPage({ code }: { code: string }): ReactElement {
  const { agents } = useTexts();
  const query = useAgent(code);
  return (
    <Page back="/" title={query.data?.name || (query.data ? agents.unnamed : code)}>
      <QueryResult query={query}>
        {(agent) => (
          <div className="agent-head">
            <Poster url={agent.poster_url} />
            <AgentStatus status={agent.status} step={agent.current_step} />
          </div>
        )}
      </QueryResult>
    </Page>
  );
}
