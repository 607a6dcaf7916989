// Knowledge bases: documents that agents search while they talk.
import type { ReactElement } from "react";
import { Route, Switch } from "wouter";
import { BaseList } from "./base-list.tsx";
import { BasePage } from "./base-page.tsx";
import { FilesPage } from "./files-page.tsx";
import { OrganizationGate } from "./organization-gate.tsx";
import "./style.css";

export default function KnowledgeView(): ReactElement {
  return (
    <OrganizationGate>
      <Switch>
        <Route component={FilesPage} path="/files" />
        <Route component={BasePage} path="/:id" />
        <Route component={BaseList} />
      </Switch>
    </OrganizationGate>
  );
}
