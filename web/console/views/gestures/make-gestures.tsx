// Orders gestures for an agent, with the price before.
import { useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import { SelectField } from "../../controls/field.tsx";
import { Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useCredits, usePricing } from "../../data/prices.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";

/** Lengths of a gesture in seconds; 5 is the service's own choice. */
const SECONDS = ["2", "3", "5", "7", "10"] as const;

export function MakeGestures({ code, hasSome }: { code: string; hasSome: boolean }): ReactElement {
  const { gestures } = useTexts();
  const formats = useFormats();
  const { client } = useConsole();
  const queries = useQueryClient();
  const pricing = usePricing();
  const credits = useCredits();
  const [seconds, setSeconds] = useState<(typeof SECONDS)[number]>("5");
  const make = useAction(async () => {
    await client.dynamics.create({ agent_id: code, duration: Number(seconds) });
    await Promise.all(["dynamics", "credits"].map((noun) => queries.invalidateQueries({ queryKey: [noun] })));
  });
  return (
    <Panel title={hasSome ? gestures.makeAgain : gestures.make}>
      <p>{hasSome ? gestures.againNote : gestures.makeNote}</p>
      <SelectField
        choices={SECONDS.map((value) => ({ value, words: gestures.seconds(Number(value)) }))}
        label={gestures.duration}
        onChange={(value) => setSeconds(value)}
        value={seconds}
      />
      <p>
        {pricing.data && gestures.price(formats.credits(pricing.data.dynamics_generation.flat))}{" "}
        {credits.data && gestures.balance(formats.credits(credits.data.balance))}
      </p>
      <Problem error={pricing.error ?? make.error} />
      <Button className={hasSome ? undefined : "main"} isDisabled={make.isBusy} onPress={() => void make.run()}>
        {gestures.makeButton}
      </Button>
    </Panel>
  );
}
