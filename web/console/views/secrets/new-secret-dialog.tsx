// Asks how a new secret is to be called, and makes it.
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import { Dialog } from "../../controls/dialog.tsx";
import { SwitchField, TextField } from "../../controls/field.tsx";
import { Problem } from "../../controls/problem.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useTexts } from "../../texts/texts-context.ts";
import type { NewSecret, SecretChoices } from "./use-secrets.ts";

const MAX_ALIAS_CHARACTERS = 32;
/** As the service accepts them. */
const ALIAS = /^[A-Za-z0-9](?:[A-Za-z0-9 ._@-]*[A-Za-z0-9])?$/;

export interface NewSecretDialogProps {
  isOpen: boolean;
  onClose(): void;
  make(choices: SecretChoices): Promise<NewSecret>;
  onMade(made: NewSecret): void;
}

export function NewSecretDialog(props: NewSecretDialogProps): ReactElement {
  const { secrets: texts } = useTexts();
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={texts.make}>
      <Choices {...props} />
    </Dialog>
  );
}

function Choices({ make, onMade, onClose }: NewSecretDialogProps): ReactElement {
  const { secrets: texts, shell } = useTexts();
  const { organizationId } = useConsole();
  const [alias, setAlias] = useState("");
  const [keepsRuntimeSuspended, setKeeps] = useState(false);
  const given = alias.trim();
  const problem = given === "" || ALIAS.test(given) ? undefined : texts.nameProblem;
  const create = useAction(async () => onMade(await make({ alias: given, keepsRuntimeSuspended })));
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === undefined) void create.run();
      }}
    >
      <TextField
        autoComplete="off"
        autoFocus
        label={texts.name}
        maxLength={MAX_ALIAS_CHARACTERS}
        note={texts.nameNote}
        onChange={setAlias}
        problem={problem}
        spellCheck="false"
        value={alias}
      />
      {organizationId === null && (
        <SwitchField
          isOn={keepsRuntimeSuspended}
          label={texts.keepSuspended}
          note={texts.keepSuspendedNote}
          onChange={setKeeps}
        />
      )}
      <Problem error={create.error} />
      <div className="row actions">
        <Button className="main" isDisabled={create.isBusy || problem !== undefined} type="submit">
          {texts.makeIt}
        </Button>
        <Button onPress={onClose}>{shell.cancel}</Button>
      </div>
    </form>
  );
}
