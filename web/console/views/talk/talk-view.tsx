// A conversation with an agent of the account's own, and beside it what no visitor sees.
import type { ReactElement } from "react";
import { Route, Switch, useParams } from "wouter";
import { AgentPicker } from "../../controls/agent-picker.tsx";
import { Page } from "../../controls/page.tsx";
import { useTexts } from "../../texts/texts-context.ts";
import { TalkPage } from "./talk-page.tsx";
import "./style.css";

export default function TalkView(): ReactElement {
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
  const { talk } = useTexts();
  return (
    <Page lead={talk.lead} title={talk.title}>
      <AgentPicker to={(code) => `/${encodeURIComponent(code)}`} />
    </Page>
  );
}

function WithAgent(): ReactElement {
  const { code = "" } = useParams();
  return <TalkPage code={decodeURIComponent(code)} key={code} />;
}
