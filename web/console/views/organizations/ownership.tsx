// Makes another member the owner.
import { useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import type { OwnOrganization } from "../../../../sdk/client/index.ts";
import { ConfirmDialog } from "../../controls/dialog.tsx";
import { SelectField } from "../../controls/field.tsx";
import { Panel } from "../../controls/page.tsx";
import { useOwnClient } from "../../data/use-own-client.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { useMembers } from "./use-members.ts";

export function Ownership({ organization }: { organization: OwnOrganization }): ReactElement {
  const { organizations: texts } = useTexts();
  const client = useOwnClient();
  const queries = useQueryClient();
  const members = useMembers(organization.id);
  const others = members.data?.flatMap(({ user_id: value, email, role }) =>
    value === null || role === "owner" ? [] : [{ value, words: email }],
  );
  const [chosen, setChosen] = useState("");
  const [isAsked, setAsked] = useState(false);
  const next = others?.find(({ value }) => value === chosen) ?? others?.[0];
  return (
    <Panel title={texts.transfer}>
      <p>{texts.transferNote}</p>
      {next === undefined || others === undefined ? (
        <p className="fine">{texts.noOthers}</p>
      ) : (
        <>
          <SelectField choices={others} label={texts.newOwner} onChange={setChosen} value={next.value} />
          <Button onPress={() => setAsked(true)}>{texts.transfer}</Button>
          <ConfirmDialog
            action={texts.transfer}
            isOpen={isAsked}
            onClose={() => setAsked(false)}
            onConfirm={async () => {
              await client.organizations.transfer(organization.id, { user_id: next.value });
              await queries.invalidateQueries({ queryKey: ["organizations"] });
            }}
            title={texts.transferTo(organization.name, next.words)}
            typed={organization.slug}
            words={texts.transferNote}
          />
        </>
      )}
    </Panel>
  );
}
