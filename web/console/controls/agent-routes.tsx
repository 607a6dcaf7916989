// A view about one agent: its page, or the choice of an agent.
import type { ReactElement, ReactNode } from "react";
import { Route, Switch } from "wouter";
import { AgentPicker, type AgentPickerProps } from "./agent-picker.tsx";
import { Page } from "./page.tsx";

export interface AgentRoutesProps extends Pick<AgentPickerProps, "status"> {
  title: string;
  lead: string;
  /** The page of the agent with this code. */
  children(code: string): ReactNode;
}

export function AgentRoutes({ title, lead, status, children }: AgentRoutesProps): ReactElement {
  return (
    <Switch>
      <Route path="/:code">{({ code }) => children(decodeURIComponent(code))}</Route>
      <Route>
        <Page lead={lead} title={title}>
          <AgentPicker status={status} to={(code) => `/${encodeURIComponent(code)}`} />
        </Page>
      </Route>
    </Switch>
  );
}
