// Shows a secret, once. It is held in one object, which is emptied when the dialog closes, so that nothing of the page
// remembers it: no query, no state, no node.
import { type ReactElement, type ReactNode, useEffect, useRef } from "react";
import { Button } from "react-aria-components";
import { useTexts } from "../texts/texts-context.ts";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";

/** A secret that is shown once. */
export interface HeldSecret {
  value?: string;
}

export interface SecretDialogProps {
  title: string;
  /** Of the field that has it. Default: that it is a secret. */
  label?: string;
  /** What it is for, and that it is not shown again. */
  words: ReactNode;
  /** Undefined while there is nothing to show. It is emptied before `onClose`. */
  secret: HeldSecret | undefined;
  onClose(): void;
}

export function SecretDialog({ title, label, words, secret, onClose }: SecretDialogProps): ReactElement {
  const close = () => {
    // React keeps the state before the present one.
    if (secret) secret.value = undefined;
    onClose();
  };
  return (
    <Dialog isHeld isOpen={secret !== undefined} onClose={close} title={title}>
      <Shown close={close} label={label} value={secret?.value ?? ""} words={words} />
    </Dialog>
  );
}

interface ShownProps {
  value: string;
  label: string | undefined;
  words: ReactNode;
  close(): void;
}

function Shown({ value, label, words, close }: ShownProps): ReactElement {
  const { shell } = useTexts();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <div className="stack">
      <p role="status">{words}</p>
      <textarea
        aria-label={label ?? shell.secret}
        className="secret-value"
        onFocus={(event) => event.target.select()}
        readOnly
        ref={field}
        rows={3}
        spellCheck={false}
        value={value}
      />
      <CopyButton text={value} />
      <div className="row actions">
        <Button className="main" onPress={close}>
          {shell.secretKept}
        </Button>
      </div>
    </div>
  );
}
