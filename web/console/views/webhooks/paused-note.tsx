// Why a webhook is sent nothing, and how to change that.
import type { ReactElement } from "react";
import { Button } from "react-aria-components";
import { useTexts } from "../../texts/texts-context.ts";

export function PausedNote({ isBusy, onResume }: { isBusy: boolean; onResume(): void }): ReactElement {
  const { webhooks: texts } = useTexts();
  return (
    <div className="panel" role="status">
      <p>
        <strong>{texts.pausedTitle}</strong> {texts.pausedNote}
      </p>
      <Button className="main" isDisabled={isBusy} onPress={onResume}>
        {texts.resume}
      </Button>
    </div>
  );
}
