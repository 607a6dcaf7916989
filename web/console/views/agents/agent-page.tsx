// One agent: what it is, and all that can be changed about it.
import type { ReactElement } from "react";
import { CodeExample } from "../../controls/code-example.tsx";
import { Page, Panel } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useAgent } from "../../data/agents.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { AgentForm } from "./agent-form.tsx";
import { AgentHead } from "./agent-head.tsx";
import { DeleteAgent } from "./delete-agent.tsx";
import { GesturesPanel } from "./gestures-panel.tsx";
import { ModelsPanel } from "./models-panel.tsx";
import { ProviderServers } from "./provider-servers.tsx";
import "./style.css";

export function AgentPage({ code }: { code: string }): ReactElement {
  const { agents, agentPage } = useTexts();
  const query = useAgent(code);
  return (
    <Page back="/" title={query.data?.name || (query.data ? agents.unnamed : code)}>
      <QueryResult query={query}>
        {(agent) => (
          <>
            <AgentHead agent={agent} />
            {/* Before it works for the first time, its creation writes the rest. */}
            {agent.supported_models.length > 0 && <AgentForm agent={agent} />}
            <ModelsPanel agent={agent} />
            {agent.supported_models.length > 0 && <GesturesPanel code={code} />}
            <ProviderServers />
            <Panel title={agentPage.program}>
              <CodeExample request={{ method: "GET", path: `/v1/agent/${code}` }} />
              <DeleteAgent agent={agent} />
            </Panel>
          </>
        )}
      </QueryResult>
    </Page>
  );
}
