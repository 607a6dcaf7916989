// Which events an endpoint is sent.
import type { ReactElement } from "react";
import type { WebhooksCreateData } from "../../../../sdk/client/index.ts";
import { SwitchField } from "../../controls/field.tsx";
import { useTexts } from "../../texts/texts-context.ts";

type EventName = NonNullable<NonNullable<WebhooksCreateData["body"]>["events"]>[number];

const EVENTS = [
  "agent.ready",
  "agent.failed",
  "video.completed",
  "video.failed",
  "dynamics.ready",
  "dynamics.failed",
] as const satisfies readonly EventName[];

export type ChosenEvents = readonly EventName[];

export interface EventFieldsProps {
  /** Empty for all. */
  chosen: ChosenEvents;
  onChange(chosen: ChosenEvents): void;
}

/** The known ones of a list of names. */
export function knownEvents(names: readonly string[]): ChosenEvents {
  return EVENTS.filter((event) => names.includes(event));
}

export function EventFields({ chosen, onChange }: EventFieldsProps): ReactElement {
  const { webhooks: texts } = useTexts();
  const isAll = chosen.length === 0;
  return (
    <fieldset className="webhook-events">
      <legend>{texts.events}</legend>
      <SwitchField
        isOn={isAll}
        label={texts.everyEvent}
        note={texts.everyEventNote}
        onChange={(isOn) => onChange(isOn ? [] : EVENTS)}
      />
      {!isAll &&
        EVENTS.map((event) => (
          <SwitchField
            isOn={chosen.includes(event)}
            key={event}
            label={event}
            note={texts.eventNotes[event]}
            onChange={(isOn) => onChange(EVENTS.filter((each) => (each === event ? isOn : chosen.includes(each))))}
          />
        ))}
    </fieldset>
  );
}
