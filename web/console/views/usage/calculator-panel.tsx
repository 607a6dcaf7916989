// What a plan of use would cost, and whether the balance is enough for it.
import { type ReactElement, useState } from "react";
import type { Pricing } from "../../../../sdk/client/index.ts";
import { SelectField, TextField } from "../../controls/field.tsx";
import { Panel } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { useBalance, usePricing } from "./balance-panel.tsx";
import { CONVERSATIONS, estimateCost, type PlannedUse } from "./estimate-cost.ts";

const USUAL_MODEL = "essence-2";
const PLACES = ["streamed", "inBrowser"] as const;
/** Enough for every plan, and within exact numbers. */
const MOST = 1_000_000;

export function CalculatorPanel(): ReactElement {
  const { usage } = useTexts();
  const pricing = usePricing();
  return (
    <Panel title={usage.calculator}>
      <p className="fine">{usage.calculatorNote}</p>
      <QueryResult query={pricing}>{(prices) => <Calculator prices={prices} />}</QueryResult>
    </Panel>
  );
}

const COUNTS = ["sessionMinutes", "filmMinutes", "agents", "gestures", "callMinutes"] as const;
type Count = (typeof COUNTS)[number];

function Calculator({ prices }: { prices: Pricing }): ReactElement {
  const { usage } = useTexts();
  const formats = useFormats();
  const balance = useBalance().data?.balance;
  const models = Object.keys(prices.realtime.hosted.by_model);
  const [model, setModel] = useState(models.includes(USUAL_MODEL) ? USUAL_MODEL : models[0]);
  const [place, setPlace] = useState<(typeof PLACES)[number]>("streamed");
  const [conversation, setConversation] = useState<PlannedUse["conversation"]>("chat");
  const [typed, setTyped] = useState<Record<Count, string>>({
    sessionMinutes: "10",
    filmMinutes: "0",
    agents: "0",
    gestures: "0",
    callMinutes: "0",
  });
  const counts = Object.fromEntries(COUNTS.map((name) => [name, countOf(typed[name])])) as Record<Count, number>;
  const cost = estimateCost({ model, isInBrowser: place === "inBrowser", conversation, ...counts }, prices);
  const credits = (amount: number) => usage.credits(formats.credits(amount));
  const isRelayed = prices.realtime.available;
  return (
    <>
      <div className="calculator">
        <SelectField
          choices={models.map((value) => ({ value, words: value }))}
          label={usage.model}
          onChange={(chosen) => setModel(chosen)}
          value={model}
        />
        <SelectField
          choices={PLACES.map((value) => ({ value, words: usage[value] }))}
          label={usage.renderedBy}
          onChange={(chosen) => setPlace(chosen)}
          value={place}
        />
        <SelectField
          choices={CONVERSATIONS.map((value) => ({ value, words: usage.conversations[value] }))}
          label={usage.conversation}
          onChange={(chosen) => setConversation(chosen)}
          value={conversation}
        />
        {COUNTS.filter((name) => name !== "callMinutes" || isRelayed).map((name) => (
          <TextField
            inputMode="decimal"
            key={name}
            label={usage[name]}
            onChange={(value) => setTyped({ ...typed, [name]: value })}
            value={typed[name]}
          />
        ))}
      </div>
      <p className="fine">{usage.sum}</p>
      <p className="big-number" role="status">
        {credits(cost)}
      </p>
      {balance !== undefined && (
        <p>{balance >= cost ? usage.enough(credits(balance - cost)) : usage.notEnough(credits(cost - balance))}</p>
      )}
    </>
  );
}

/** A number as people type it, with a comma or a point; 0 for what is none. */
function countOf(text: string): number {
  const value = Number(text.trim().replace(",", "."));
  return Number.isFinite(value) ? Math.min(MOST, Math.max(0, value)) : 0;
}
