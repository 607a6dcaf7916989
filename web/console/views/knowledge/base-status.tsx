// The state of a knowledge base.
import type { ReactElement } from "react";
import type { KnowledgeBase } from "../../../../sdk/client/index.ts";
import { Badge, type Tone } from "../../controls/badge.tsx";
import { useTexts } from "../../texts/texts-context.ts";

const TONES: Readonly<Record<KnowledgeBase["status"], Tone>> = {
  stale: "quiet",
  queued: "busy",
  building: "busy",
  ready: "good",
  failed: "wrong",
};

export function BaseStatus({ status }: Pick<KnowledgeBase, "status">): ReactElement {
  const { knowledge } = useTexts();
  return <Badge tone={TONES[status]} words={knowledge.statuses[status]} />;
}
