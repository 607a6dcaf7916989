// Joins an organization with the link or token of an invitation.
import { useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import { useLocation } from "wouter";
import { TextField } from "../../controls/field.tsx";
import { Problem } from "../../controls/problem.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useOwnClient } from "../../data/use-own-client.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { tokenOf } from "./invitation-link.ts";

/** `given`: the token with which the person has come; they need not paste one then. */
export function AcceptInvitation({ given }: { given?: string }): ReactElement {
  const { organizations: texts } = useTexts();
  const { person } = useConsole();
  const client = useOwnClient();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [pasted, setPasted] = useState("");
  const [isUnread, setUnread] = useState(false);
  const accept = useAction(async (token: string) => {
    const { organization } = await client.members.acceptInvite({ token });
    await queries.invalidateQueries({ queryKey: ["organizations"] });
    navigate(`/${organization.id}`);
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const token = given ?? tokenOf(pasted);
        setUnread(token === "");
        if (token !== "") void accept.run(token);
      }}
    >
      <p>{texts.acceptNote(person.email)}</p>
      {given === undefined && (
        <TextField
          autoComplete="off"
          label={texts.invitation}
          maxLength={2_048}
          onChange={(text) => {
            setPasted(text);
            setUnread(false);
          }}
          problem={isUnread ? texts.noToken : undefined}
          spellCheck="false"
          value={pasted}
        />
      )}
      <Problem error={accept.error} />
      <Button className="main" isDisabled={accept.isBusy} type="submit">
        {texts.accept}
      </Button>
    </form>
  );
}
