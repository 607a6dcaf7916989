// The gestures of one agent: played, made, made anew, and switched on and off.
import { useQueryClient } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { Button } from "react-aria-components";
import type { Dynamics } from "../../../../sdk/client/index.ts";
import { CodeExample } from "../../controls/code-example.tsx";
import { SwitchField } from "../../controls/field.tsx";
import { Page, Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { Reason } from "../../controls/reason.tsx";
import { useAction } from "../../controls/use-action.ts";
import { ViewLink } from "../../controls/view-link.tsx";
import { useAgent } from "../../data/agents.ts";
import { useConsole } from "../../data/console-context.ts";
import { isMaking, useDynamics } from "../../data/dynamics.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { GestureShow } from "./gesture-show.tsx";
import { MakeGestures } from "./make-gestures.tsx";

export function GesturesPage({ code }: { code: string }): ReactElement {
  const { gestures } = useTexts();
  const agent = useAgent(code);
  const dynamics = useDynamics(code);
  return (
    <Page
      actions={<ViewLink className="button" part={code} to="agents" words={gestures.toAgent} />}
      back="/"
      lead={gestures.pageLead}
      title={gestures.of(agent.data?.name || code)}
    >
      <QueryResult query={dynamics}>
        {(made) => (
          <>
            <State dynamics={made} />
            {hasClips(made) && <GestureShow dynamics={made} />}
            {hasClips(made) && <Settings dynamics={made} />}
            {!isMaking(made) && <MakeGestures code={code} hasSome={hasClips(made)} />}
          </>
        )}
      </QueryResult>
      <CodeExample request={{ method: "POST", path: "/v1/dynamics/generate", body: { agent_id: code, duration: 5 } }} />
    </Page>
  );
}

function hasClips({ gestures }: Dynamics): boolean {
  return Object.keys(gestures).length > 0;
}

/** What the last run has come to. */
function State({ dynamics }: { dynamics: Dynamics }): ReactElement | null {
  const { gestures } = useTexts();
  const formats = useFormats();
  if (dynamics.status === "failed") {
    return <Reason className="panel" message={dynamics.error_message ?? ""} note={gestures.refunded} role="status" />;
  }
  if (!isMaking(dynamics)) return null;
  const words = gestures.progress(formats.percent(dynamics.progress));
  return (
    <div className="panel">
      <p role="status">{gestures.making}</p>
      <div className="row">
        <progress aria-label={words} max={1} value={dynamics.progress} />
        <span className="fine">{words}</span>
      </div>
    </div>
  );
}

function Settings({ dynamics }: { dynamics: Dynamics }): ReactElement {
  const { gestures } = useTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const change = useAction(async (isOn?: boolean) => {
    const toggle = isOn === undefined ? {} : { toggle_enabled: isOn };
    await client.dynamics.update(dynamics.agent_id, { dynamics: {}, ...toggle });
    await queries.invalidateQueries({ queryKey: ["dynamics"] });
  });
  return (
    <Panel title={gestures.change}>
      <SwitchField
        isDisabled={change.isBusy}
        isOn={dynamics.enabled}
        label={gestures.enabled}
        note={gestures.enabledNote}
        onChange={(isOn) => void change.run(isOn)}
      />
      <div className="row">
        <Button isDisabled={change.isBusy || isMaking(dynamics)} onPress={() => void change.run()}>
          {gestures.vary}
        </Button>
        <span className="fine">{gestures.varyNote}</span>
      </div>
      <Problem error={change.error} />
    </Panel>
  );
}
