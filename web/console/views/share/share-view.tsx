// Who may meet an agent, and the code that puts it into a site.
import type { ReactElement } from "react";
import { Route, Switch, useParams } from "wouter";
import { AgentPicker } from "../../controls/agent-picker.tsx";
import { Page } from "../../controls/page.tsx";
import { useTexts } from "../../texts/texts-context.ts";
import { SharePage } from "./share-page.tsx";
import "./style.css";

export default function ShareView(): ReactElement {
  return (
    <Switch>
      <Route path="/:code">
        <WithAgent />
      </Route>
      <Route>
        <Choice />
      </Route>
    </Switch>
  );
}

function Choice(): ReactElement {
  const { share } = useTexts();
  return (
    <Page lead={share.lead} title={share.title}>
      <AgentPicker to={(code) => `/${encodeURIComponent(code)}`} />
    </Page>
  );
}

function WithAgent(): ReactElement {
  const { code = "" } = useParams();
  return <SharePage code={decodeURIComponent(code)} key={code} />;
}
