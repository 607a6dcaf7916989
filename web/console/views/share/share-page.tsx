// How one agent is shared.
import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { CodeExample } from "../../controls/code-example.tsx";
import { Page, Panel } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useAgent } from "../../data/agents.ts";
import { useConsole } from "../../data/console-context.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { EmbeddingPanel } from "./embedding-panel.tsx";
import { LinksPanel } from "./links-panel.tsx";
import { LocalRendering } from "./local-rendering.tsx";
import { SharingForm } from "./sharing-form.tsx";

export function SharePage({ code }: { code: string }): ReactElement {
  const { share } = useTexts();
  const { client } = useConsole();
  const agent = useAgent(code);
  const sharing = useQuery({
    queryKey: ["agents", code, "sharing"],
    queryFn: ({ signal }) => client.agentSharing.get(code, { signal }),
  });
  return (
    <Page back="/" title={agent.data?.name || code}>
      <QueryResult query={sharing}>
        {(data) => (
          <>
            <EmbeddingPanel code={code} isPublic={data.is_public} />
            <Panel title={share.access}>
              <SharingForm code={code} sharing={data} />
              <CodeExample
                request={{
                  method: "PUT",
                  path: `/v1/agent/${encodeURIComponent(code)}/sharing`,
                  body: { is_public: true, origins: ["https://shop.example"] },
                }}
              />
            </Panel>
            <LinksPanel code={code} url={data.url} />
          </>
        )}
      </QueryResult>
      <Panel title={share.rendering}>
        <QueryResult query={agent}>{(data) => <LocalRendering agent={data} code={code} />}</QueryResult>
      </Panel>
    </Page>
  );
}
