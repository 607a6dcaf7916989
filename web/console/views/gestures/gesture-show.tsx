// The clips of an agent's gestures: one plays, the others can be chosen.
import { type ReactElement, useState } from "react";
import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import type { Dynamics } from "../../../../sdk/client/index.ts";
import { type GestureName, isGestureName } from "../../../../shared/gesture-names.ts";
import { atOwnOrigin } from "../../../shared/at-own-origin.ts";
import { Panel } from "../../controls/page.tsx";
import { useFormats, useTexts } from "../../texts/texts-context.ts";

export function GestureShow({ dynamics }: { dynamics: Dynamics }): ReactElement {
  const { gestures } = useTexts();
  const formats = useFormats();
  const names = Object.keys(dynamics.gestures);
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = chosen !== null && names.includes(chosen) ? chosen : names[0];
  const title = useGestureTitle();
  const url = atOwnOrigin(dynamics.gestures[shown]);
  const cues = dynamics.cues[shown];
  return (
    <Panel title={gestures.show}>
      <video
        autoPlay={chosen !== null}
        className="gesture-player"
        controls
        key={url}
        loop
        muted
        playsInline
        preload="metadata"
        src={url}
      />
      <div role="status">
        <h3>{title(shown)}</h3>
        <p>{cues ? gestures.cues(cues.join(", ")) : gestures.noCues}</p>
      </div>
      <p className="row">
        <a className="button" download={`${shown}.mp4`} href={url}>
          {gestures.download}
        </a>
        {dynamics.duration !== null && <span className="fine">{formats.latency(dynamics.duration * 1000)}</span>}
      </p>
      <ToggleButtonGroup
        aria-label={gestures.choose}
        className="row"
        disallowEmptySelection
        onSelectionChange={([name]) => setChosen(String(name))}
        selectedKeys={[shown]}
        selectionMode="single"
      >
        {names.map((name) => (
          <ToggleButton className="chip" id={name} key={name}>
            {title(name)}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
    </Panel>
  );
}

/** What a gesture is called. */
function useGestureTitle(): (name: string) => string {
  const { gestures } = useTexts();
  const titles: Readonly<Record<GestureName, string>> = gestures.names;
  return (name) => (isGestureName(name) ? titles[name] : name);
}
