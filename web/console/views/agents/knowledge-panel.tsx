// Which knowledge bases an agent searches.
import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { SwitchField } from "../../controls/field.tsx";
import { Panel } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { ViewLink } from "../../controls/view-link.tsx";
import { useConsole } from "../../data/console-context.ts";
import { useTexts } from "../../texts/texts-context.ts";

export interface KnowledgePanelProps {
  ids: readonly string[];
  onChange(ids: string[]): void;
  /** What is wrong with the choice. */
  problem?: string;
}

export function KnowledgePanel({ ids, onChange, problem }: KnowledgePanelProps): ReactElement {
  const { agentPage } = useTexts();
  const { organizationId } = useConsole();
  return (
    <Panel
      actions={<ViewLink className="button" to="knowledge" words={agentPage.knowledgeLink} />}
      title={agentPage.fields.kb_ids}
    >
      {organizationId === null ? (
        <>
          <p>{agentPage.knowledgePersonal(ids.length)}</p>
          <ViewLink className="button" to="organizations" words={agentPage.organizations} />
        </>
      ) : (
        <Bases ids={ids} onChange={onChange} />
      )}
      {problem !== undefined && <p className="wrong fine">{problem}</p>}
    </Panel>
  );
}

function Bases({ ids, onChange }: Pick<KnowledgePanelProps, "ids" | "onChange">): ReactElement {
  const { agentPage } = useTexts();
  const { client } = useConsole();
  const bases = useQuery({
    queryKey: ["knowledge", "of-agents"],
    queryFn: async ({ signal }) => (await client.knowledgeBases.list({ signal })).items,
  });
  return (
    <QueryResult empty={<p>{agentPage.knowledgeEmpty}</p>} isEmpty={(list) => list.length === 0} query={bases}>
      {(list) => {
        const foreign = ids.filter((id) => !list.some((base) => base.id === id));
        return (
          <>
            {list.map(({ id, name }) => (
              <SwitchField
                isOn={ids.includes(id)}
                key={id}
                label={name}
                onChange={(isOn) => onChange(isOn ? [...ids, id] : ids.filter((one) => one !== id))}
              />
            ))}
            {foreign.length > 0 && <p className="fine">{agentPage.knowledgeForeign(foreign.length)}</p>}
          </>
        );
      }}
    </QueryResult>
  );
}
