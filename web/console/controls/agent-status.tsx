// The state of an agent in a word.
import type { ReactElement } from "react";
import { isInCreation } from "../data/agents.ts";
import { useTexts } from "../texts/texts-context.ts";
import { Badge } from "./badge.tsx";

export interface AgentStatusProps {
  status: string;
  /** Of an agent that waits for face marks, `awaiting_face_marking`. */
  step?: string;
}

export function AgentStatus({ status, step }: AgentStatusProps): ReactElement {
  const { statuses } = useTexts().agents;
  if (status === "failed") return <Badge tone="wrong" words={statuses.failed} />;
  if (status === "deleted") return <Badge tone="quiet" words={statuses.deleted} />;
  if (!isInCreation({ status })) return <Badge tone="good" words={statuses.ready} />;
  if (step === "awaiting_face_marking") return <Badge tone="busy" words={statuses.marking} />;
  return <Badge tone="busy" words={status === "processing" ? statuses.waiting : statuses.making} />;
}
