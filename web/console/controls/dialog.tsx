// Questions on top of a view.
import { type ReactElement, type ReactNode, useState } from "react";
import { Dialog as AriaDialog, Button, Heading, Modal, ModalOverlay } from "react-aria-components";
import { useTexts } from "../texts/texts-context.ts";
import { TextField } from "./field.tsx";
import { Problem } from "./problem.tsx";

export interface DialogProps {
  title: string;
  isOpen: boolean;
  /** Whether only its buttons close it: what it shows is not shown again. Default false. */
  isHeld?: boolean;
  onClose(): void;
  children: ReactNode;
}

/** Closed by Escape, by a click beside it, and by its buttons. Focus returns to where it was. */
export function Dialog({ title, isOpen, isHeld = false, onClose, children }: DialogProps): ReactElement {
  return (
    <ModalOverlay
      className="veil"
      isDismissable={!isHeld}
      isKeyboardDismissDisabled={isHeld}
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
    >
      <Modal className="dialog">
        <AriaDialog>
          <Heading slot="title">{title}</Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

export interface ConfirmDialogProps {
  title: string;
  words: ReactNode;
  /** On the button that does it. */
  action: string;
  /** What the person must type first; without it the button is enough. */
  typed?: string;
  isOpen: boolean;
  onClose(): void;
  /** Does it. What it throws is shown, and the dialog stays open. */
  onConfirm(): Promise<unknown>;
}

export function ConfirmDialog(props: ConfirmDialogProps): ReactElement {
  const { title, isOpen, onClose } = props;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
      <Question {...props} />
    </Dialog>
  );
}

function Question({ words, action, typed, onClose, onConfirm }: ConfirmDialogProps): ReactElement {
  const { shell } = useTexts();
  const [text, setText] = useState("");
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const isReady = typed === undefined || text.trim() === typed;
  async function confirm(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !isBusy) void confirm();
      }}
    >
      <div>{words}</div>
      {typed !== undefined && (
        <TextField autoComplete="off" label={shell.typeToConfirm(typed)} onChange={setText} value={text} />
      )}
      <Problem error={error} />
      <div className="row actions">
        <Button className="main danger" isDisabled={!isReady || isBusy} type="submit">
          {action}
        </Button>
        <Button onPress={onClose}>{shell.cancel}</Button>
      </div>
    </form>
  );
}
