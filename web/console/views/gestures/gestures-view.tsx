// Gestures: of an agent that is chosen first.
import type { ReactElement } from "react";
import { AgentRoutes } from "../../controls/agent-routes.tsx";
import { useTexts } from "../../texts/texts-context.ts";
import { GesturesPage } from "./gestures-page.tsx";
import "./style.css";

export default function GesturesView(): ReactElement {
  const { gestures } = useTexts();
  return (
    <AgentRoutes lead={gestures.lead} status="ready" title={gestures.title}>
      {(code) => <GesturesPage code={code} key={code} />}
    </AgentRoutes>
  );
}
