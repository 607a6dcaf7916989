// Who may meet an agent, and the code that puts it into a site.
import type { ReactElement } from "react";
import { AgentRoutes } from "../../controls/agent-routes.tsx";
import { useTexts } from "../../texts/texts-context.ts";
import { SharePage } from "./share-page.tsx";
import "./style.css";

export default function ShareView(): ReactElement {
  const { share } = useTexts();
  return (
    <AgentRoutes lead={share.lead} title={share.title}>
      {(code) => <SharePage code={code} key={code} />}
    </AgentRoutes>
  );
}
