// All webhooks of the account, each with its test.
import type { ReactElement } from "react";
import { Link } from "wouter";
import type { Webhook } from "../../../../sdk/client/index.ts";
import { Badge } from "../../controls/badge.tsx";
import { EmptyView } from "../../controls/empty-view.tsx";
import { Page, Panel } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useConsole } from "../../data/console-context.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { NewEndpoint } from "./new-endpoint.tsx";
import { TestButton } from "./test-button.tsx";
import { SESSION, useEndpoints, useSessionWebhook } from "./use-webhooks.ts";

const EXAMPLE = {
  method: "POST",
  path: "/v1/webhooks",
  body: { url: "https://shop.example/hooks/avatars", events: ["agent.ready", "agent.failed"] },
} as const;

export function EndpointsPage(): ReactElement {
  const { webhooks: texts } = useTexts();
  const { person } = useConsole();
  const endpoints = useEndpoints();
  const session = useSessionWebhook();
  return (
    <Page
      actions={
        <Link className="button" href="/check">
          {texts.check}
        </Link>
      }
      lead={texts.lead}
      title={texts.title}
    >
      {person.organization_id !== null && <p className="panel">{texts.ownOnly}</p>}
      <Panel title={texts.registered}>
        <QueryResult
          empty={<EmptyView request={EXAMPLE} words={texts.empty} />}
          isEmpty={(list) => list.length === 0}
          query={endpoints}
        >
          {(list) => (
            <ul className="rows">
              {list.map((endpoint) => (
                <li key={endpoint.id}>
                  <EndpointRow endpoint={endpoint} />
                  <TestButton id={endpoint.id} name={endpoint.url} />
                </li>
              ))}
            </ul>
          )}
        </QueryResult>
        <NewEndpoint />
      </Panel>
      <Panel title={texts.session}>
        <p>{texts.sessionLead}</p>
        <QueryResult query={session}>
          {({ url, active: isActive }) =>
            url === null ? (
              <Link className="button" href="/session">
                {texts.setUp}
              </Link>
            ) : (
              <ul className="rows">
                <li>
                  <div>
                    <Link href="/session">{url}</Link> {!isActive && <Badge tone="quiet" words={texts.paused} />}
                  </div>
                  <TestButton id={SESSION} name={texts.session} />
                </li>
              </ul>
            )
          }
        </QueryResult>
      </Panel>
    </Page>
  );
}

function EndpointRow({ endpoint }: { endpoint: Webhook }): ReactElement {
  const { webhooks: texts } = useTexts();
  const { id, url, description, events, active: isActive } = endpoint;
  return (
    <div>
      <Link href={`/${id}`}>{url}</Link> {!isActive && <Badge tone="quiet" words={texts.paused} />}
      {description && (
        <p>
          <bdi>{description}</bdi>
        </p>
      )}
      <p className="fine">{events.length === 0 ? texts.allEvents : events.join(", ")}</p>
    </div>
  );
}
