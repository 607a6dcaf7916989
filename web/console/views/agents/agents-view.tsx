// The account's agents.
import type { ReactElement } from "react";
import { Route, Switch } from "wouter";
import { AgentList } from "./agent-list.tsx";
import { AgentPage } from "./agent-page.tsx";

export default function AgentsView(): ReactElement {
  return (
    <Switch>
      <Route path="/">
        <AgentList />
      </Route>
      <Route path="/:code">{({ code }) => <AgentPage code={code} key={code} />}</Route>
    </Switch>
  );
}
