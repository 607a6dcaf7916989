// Organizations: those of the person, their members, invitations, secrets and audit logs.
import type { ReactElement } from "react";
import { Route, Switch } from "wouter";
import { InvitationPage } from "./invitation-page.tsx";
import { OrganizationPage } from "./organization-page.tsx";
import { OrganizationsPage } from "./organizations-page.tsx";
import "./style.css";

export default function OrganizationsView(): ReactElement {
  return (
    <Switch>
      <Route path="/">
        <OrganizationsPage />
      </Route>
      <Route path="/invitation">
        <InvitationPage />
      </Route>
      <Route path="/:id">{({ id }) => <OrganizationPage id={id} />}</Route>
    </Switch>
  );
}
