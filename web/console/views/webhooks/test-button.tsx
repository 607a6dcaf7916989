// Sends a test event to an endpoint, and says what came of it.
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import type { WebhookTestOutcome } from "../../../../sdk/client/index.ts";
import { Problem } from "../../controls/problem.tsx";
import { useTexts } from "../../texts/texts-context.ts";
import { useTest } from "./use-webhooks.ts";

export interface TestButtonProps {
  /** Of a registered endpoint, or `SESSION`. */
  id: string;
  /** Tells the endpoint apart for those who hear the button alone. */
  name: string;
  isMain?: boolean;
}

export function TestButton({ id, name, isMain }: TestButtonProps): ReactElement {
  const { webhooks: texts } = useTexts();
  const [outcome, setOutcome] = useState<WebhookTestOutcome>();
  const test = useTest((_, found) => setOutcome(found));
  return (
    <div className="webhook-test">
      <Button
        aria-label={texts.testOf(name)}
        className={isMain ? "main" : undefined}
        isDisabled={test.isBusy}
        onPress={() => void test.run(id)}
      >
        {test.isBusy ? texts.testing : texts.test}
      </Button>
      <p className={outcome && !outcome.delivered ? "wrong fine" : "fine"} role="status">
        {!test.isBusy && !test.error && outcome ? texts.outcome(outcome.delivered, outcome.status_code) : ""}
      </p>
      <Problem error={test.error} />
    </div>
  );
}
