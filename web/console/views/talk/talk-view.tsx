// A conversation with an agent of the account's own, and beside it what no visitor sees.
import type { ReactElement } from "react";
import { AgentRoutes } from "../../controls/agent-routes.tsx";
import { useTexts } from "../../texts/texts-context.ts";
import { TalkPage } from "./talk-page.tsx";
import "./style.css";

export default function TalkView(): ReactElement {
  const { talk } = useTexts();
  return (
    <AgentRoutes lead={talk.lead} title={talk.title}>
      {(code) => <TalkPage code={code} key={code} />}
    </AgentRoutes>
  );
}
