// Webhooks of both kinds: where events are sent, what was sent, and whether a delivery is genuine.
import type { ReactElement } from "react";
import { Route, Switch } from "wouter";
import { CheckPage } from "./check-page.tsx";
import { EndpointPage } from "./endpoint-page.tsx";
import { EndpointsPage } from "./endpoints-page.tsx";
import { SessionWebhookPage } from "./session-webhook-page.tsx";
import "./style.css";

export default function WebhooksView(): ReactElement {
  return (
    <Switch>
      <Route path="/">
        <EndpointsPage />
      </Route>
      <Route path="/check">
        <CheckPage />
      </Route>
      <Route path="/session">
        <SessionWebhookPage />
      </Route>
      <Route path="/:id">{({ id }) => <EndpointPage id={id} />}</Route>
    </Switch>
  );
}
