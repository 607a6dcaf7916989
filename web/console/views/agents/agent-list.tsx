// All agents: search, status, pages, and what is being made.
import { type ReactElement, useState } from "react";
import { AgentPicker } from "../../controls/agent-picker.tsx";
import { SelectField } from "../../controls/field.tsx";
import { Page } from "../../controls/page.tsx";
import { ViewLink } from "../../controls/view-link.tsx";
import { useTexts } from "../../texts/texts-context.ts";

const STATUSES = ["all", "ready", "processing", "generating", "failed"] as const;
type ListedStatus = (typeof STATUSES)[number];

export function AgentList(): ReactElement {
  const { agents } = useTexts();
  const [status, setStatus] = useState<ListedStatus>("all");
  return (
    <Page
      actions={<ViewLink className="button main" to="create" words={agents.create} />}
      lead={agents.lead}
      title={agents.title}
    >
      <AgentPicker
        filters={
          <SelectField<ListedStatus>
            choices={STATUSES.map((value) => ({ value, words: agents.filters[value] }))}
            label={agents.status}
            onChange={(value) => setStatus(value)}
            value={status}
          />
        }
        status={status === "all" ? undefined : status}
        to={(code) => `/${code}`}
      />
    </Page>
  );
}
