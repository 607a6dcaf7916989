// Makes the avatar of a running session say a sentence, or know something, and explains what came of it.
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import type { DeliveryReceipt, RuntimeSession } from "../../../../sdk/client/index.ts";
import { TextField } from "../../controls/field.tsx";
import { Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { Receipt } from "./receipt.tsx";

const MAX_MESSAGE_CHARACTERS = 5_000;
const MAX_CONTEXT_CHARACTERS = 20_000;

export interface PromptingProps {
  session: RuntimeSession;
  /** Of its agent. */
  code: string;
}

export function Prompting({ session, code }: PromptingProps): ReactElement {
  const { sessions: texts } = useTexts();
  const { client } = useConsole();
  const room_id = session.room_name;
  return (
    <Panel title={texts.prompting}>
      <Prompt
        action={texts.speak}
        label={texts.speakLabel}
        maxLength={MAX_MESSAGE_CHARACTERS}
        note={texts.speakNote}
        send={(message) => client.agents.speak(code, { message, room_id })}
      />
      <Prompt
        action={texts.addContext}
        label={texts.contextLabel}
        maxLength={MAX_CONTEXT_CHARACTERS}
        note={session.has_conversation ? texts.contextNote : texts.contextUseless}
        send={(context) => client.agents.addContext(code, { context, room_id })}
      />
    </Panel>
  );
}

interface PromptProps {
  label: string;
  note: string;
  action: string;
  maxLength: number;
  send(text: string): Promise<DeliveryReceipt>;
}

function Prompt({ label, note, action, maxLength, send }: PromptProps): ReactElement {
  const [text, setText] = useState("");
  const [receipt, setReceipt] = useState<DeliveryReceipt>();
  const deliver = useAction(async () => {
    setReceipt(undefined);
    setReceipt(await send(text.trim()));
    setText("");
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "") void deliver.run();
      }}
    >
      <TextField label={label} maxLength={maxLength} note={note} onChange={setText} rows={2} value={text} />
      <div className="row">
        <Button isDisabled={deliver.isBusy || text.trim() === ""} type="submit">
          {action}
        </Button>
        <span className="fine" role="status">
          {receipt && <Receipt receipt={receipt} />}
        </span>
      </div>
      <Problem error={deliver.error} />
    </form>
  );
}
