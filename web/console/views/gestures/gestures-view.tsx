// Gestures: of an agent that is chosen first.
import type { ReactElement } from "react";
import { Route, Switch } from "wouter";
import { AgentPicker } from "../../controls/agent-picker.tsx";
import { Page } from "../../controls/page.tsx";
import { useTexts } from "../../texts/texts-context.ts";
import { GesturesPage } from "./gestures-page.tsx";
import "./style.css";

export default function GesturesView(): ReactElement {
  const { gestures } = useTexts();
  return (
    <Switch>
      <Route component={GesturesPage} path="/:code" />
      <Route>
        <Page lead={gestures.lead} title={gestures.title}>
          <AgentPicker status="ready" to={(code) => `/${code}`} />
        </Page>
      </Route>
    </Switch>
  );
}
