// Whether browsers of visitors may render the agent.
import { useQueryClient } from "@tanstack/react-query";
import type { ReactElement } from "react";
import type { Agent } from "../../../../sdk/client/index.ts";
import { SelectField } from "../../controls/field.tsx";
import { Problem } from "../../controls/problem.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useTexts } from "../../texts/texts-context.ts";

const CHOICES = ["default", "allowed", "forbidden"] as const;

export function LocalRendering({ agent, code }: { agent: Agent; code: string }): ReactElement {
  const { share, shell } = useTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const save = useAction(async (choice: Agent["local_rendering"]) => {
    await client.agents.update(code, { local_rendering: choice });
    await queries.invalidateQueries({ queryKey: ["agents", code] });
  });
  return (
    <>
      <SelectField
        choices={CHOICES.map((value) => ({ value, words: share.renderings[value] }))}
        isDisabled={save.isBusy}
        label={share.renderingLabel}
        note={share.renderingNote}
        onChange={(choice) => void save.run(choice)}
        value={agent.local_rendering}
      />
      <Problem error={save.error} />
      <p className="fine" role="status">
        {save.isDone ? shell.saved : ""}
      </p>
    </>
  );
}
