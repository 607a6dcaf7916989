// The gestures that were made for an agent, each to be seen.
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import type { Dynamics } from "../../../../sdk/client/index.ts";
import { atOwnOrigin } from "../../../shared/at-own-origin.ts";
import { Panel } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { ViewLink } from "../../controls/view-link.tsx";
import { useConsole } from "../../data/console-context.ts";
import { useTexts } from "../../texts/texts-context.ts";

export function GesturesPanel({ code }: { code: string }): ReactElement {
  const { agentPage } = useTexts();
  const { client } = useConsole();
  const dynamics = useQuery({
    queryKey: ["dynamics", code],
    queryFn: ({ signal }) => client.dynamics.get(code, { signal }),
  });
  return (
    <Panel
      actions={<ViewLink className="button" part={code} to="gestures" words={agentPage.gesturesLink} />}
      title={agentPage.gestures}
    >
      <QueryResult
        empty={<p>{agentPage.gesturesEmpty}</p>}
        isEmpty={({ gestures }) => Object.keys(gestures).length === 0}
        query={dynamics}
      >
        {(made) => <Clips made={made} />}
      </QueryResult>
    </Panel>
  );
}

function Clips({ made }: { made: Dynamics }): ReactElement {
  const { agentPage } = useTexts();
  const [shown, setShown] = useState<string | null>(null);
  const clip = shown === null ? undefined : made.gestures[shown];
  return (
    <>
      <ToggleButtonGroup
        aria-label={agentPage.gestures}
        className="row"
        onSelectionChange={([name]) => setShown(name === undefined ? null : String(name))}
        selectedKeys={shown === null ? [] : [shown]}
        selectionMode="single"
      >
        {Object.keys(made.gestures).map((name) => (
          <ToggleButton className="chip" id={name} key={name}>
            {name}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      {clip !== undefined && (
        <figure className="agent-clip">
          <video autoPlay className="poster" controls key={clip} muted playsInline src={atOwnOrigin(clip)} />
          <figcaption className="fine">{made.descriptions[shown ?? ""]}</figcaption>
        </figure>
      )}
    </>
  );
}
