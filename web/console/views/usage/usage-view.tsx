// Usage: balance, what was spent and on what, the ledger, and a calculator.
import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { AgentFilter, useAgentInAddress } from "../../controls/agent-filter.tsx";
import { EmptyView } from "../../controls/empty-view.tsx";
import { Page } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useConsole } from "../../data/console-context.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { BalancePanel } from "./balance-panel.tsx";
import { CalculatorPanel } from "./calculator-panel.tsx";
import { LedgerPanel } from "./ledger-panel.tsx";
import { SpentPanel } from "./spent-panel.tsx";
import "./style.css";

export default function UsageView(): ReactElement {
  const { usage } = useTexts();
  const { client, root } = useConsole();
  const access = useAgentInAddress();
  const agentCode = access.agentCode === "" ? undefined : access.agentCode;
  const first = useQuery({
    queryKey: ["credits", "first-charge"],
    queryFn: () => client.ledger.list({ kind: "charge", limit: 1 }),
  });
  return (
    <Page lead={usage.lead} title={usage.title}>
      <BalancePanel />
      <QueryResult
        empty={
          <EmptyView
            action={
              <>
                <a className="button main" href={new URL("console/talk", root).href}>
                  {usage.toTalk}
                </a>
                <a className="button" href={new URL("console/create", root).href}>
                  {usage.toCreate}
                </a>
              </>
            }
            request={{ method: "GET", path: "/v1/usage/groups?by=day" }}
            words={usage.empty}
          />
        }
        isEmpty={({ items }) => items.length === 0}
        query={first}
      >
        {() => (
          <>
            <div className="usage-choices">
              <AgentFilter access={access} />
            </div>
            <SpentPanel agentCode={agentCode} />
          </>
        )}
      </QueryResult>
      <LedgerPanel agentCode={agentCode} />
      <CalculatorPanel />
    </Page>
  );
}
