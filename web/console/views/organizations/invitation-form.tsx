// Invites a person by their e-mail address.
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import { SelectField, TextField } from "../../controls/field.tsx";
import { Problem } from "../../controls/problem.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useOwnClient } from "../../data/use-own-client.ts";
import { useTexts } from "../../texts/texts-context.ts";

export interface InvitationFormProps {
  /** Of the organization. */
  id: string;
  onInvited(token: string): Promise<void>;
}

export function InvitationForm({ id, onInvited }: InvitationFormProps): ReactElement {
  const { organizations: texts } = useTexts();
  const client = useOwnClient();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<"admin" | "member">("member");
  const invite = useAction(async () => {
    const { invite_token: token } = await client.members.invite(id, { email: email.trim(), role });
    setEmail("");
    await onInvited(token);
  });
  return (
    <form
      className="organization-form"
      onSubmit={(event) => {
        event.preventDefault();
        void invite.run();
      }}
    >
      <h3>{texts.invite}</h3>
      <p className="fine">{texts.inviteNote}</p>
      <TextField
        autoComplete="off"
        isRequired
        label={texts.email}
        maxLength={254}
        onChange={setEmail}
        type="email"
        value={email}
      />
      <SelectField
        choices={(["member", "admin"] as const).map((value) => ({
          value,
          words: `${texts.roles[value]}: ${texts.roleNotes[value]}`,
        }))}
        label={texts.role}
        onChange={(next) => setRole(next)}
        value={role}
      />
      <Problem error={invite.error} />
      <Button className="main" isDisabled={invite.isBusy} type="submit">
        {texts.inviteIt}
      </Button>
    </form>
  );
}
