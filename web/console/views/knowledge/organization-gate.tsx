// Before knowledge bases: the organization for which the person acts. It can be made here.
import { useQueryClient } from "@tanstack/react-query";
import { type ReactElement, type ReactNode, useEffect, useState } from "react";
import { Button, Form } from "react-aria-components";
import { TextField } from "../../controls/field.tsx";
import { Page } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useOwnOrganizations } from "../../data/use-own-organizations.ts";
import { useTexts } from "../../texts/texts-context.ts";

/** Shows its children once the person acts for an organization. Of someone who has one, that is it. */
export function OrganizationGate({ children }: { children: ReactNode }): ReactNode {
  const { organizationId } = useConsole();
  return organizationId === null ? <ChooseOrganization /> : children;
}

function ChooseOrganization(): ReactElement {
  const { knowledge } = useTexts();
  const { setOrganization } = useConsole();
  const organizations = useOwnOrganizations();
  const only = organizations.data?.length === 1 ? organizations.data[0].id : null;
  useEffect(() => {
    if (only !== null) setOrganization(only);
  }, [only, setOrganization]);
  return (
    <Page title={knowledge.title}>
      <QueryResult query={organizations}>
        {(own) => (
          <div className="panel">
            <p>{own.length === 0 ? knowledge.noOrganization : knowledge.organizationNeeded}</p>
            <ul className="rows">
              {own.map(({ id, name }) => (
                <li key={id}>
                  <Button className="long" onPress={() => setOrganization(id)}>
                    <span dir="auto">{knowledge.actFor(name)}</span>
                  </Button>
                </li>
              ))}
            </ul>
            {own.length === 0 && <MakeOrganization />}
          </div>
        )}
      </QueryResult>
    </Page>
  );
}

function MakeOrganization(): ReactElement {
  const { knowledge } = useTexts();
  const { client, setOrganization } = useConsole();
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const make = useAction(async () => {
    const { id } = await client.organizations.create({ name: name.trim() });
    await queries.invalidateQueries({ queryKey: ["organizations"] });
    setOrganization(id);
  });
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "") void make.run();
      }}
    >
      <TextField isRequired label={knowledge.organizationName} maxLength={100} onChange={setName} value={name} />
      <Problem error={make.error} />
      <Button className="main" isDisabled={make.isBusy || name.trim() === ""} type="submit">
        {knowledge.makeOrganization}
      </Button>
    </Form>
  );
}

/** For whom the person acts, and the way to another organization. */
export function ActingFor(): ReactElement | null {
  const { knowledge } = useTexts();
  const { organizationId, person, setOrganization } = useConsole();
  const { data } = useOwnOrganizations();
  const organization = data?.find(({ id }) => id === organizationId);
  if (!organization) return null;
  const hasOthers = person.organization_id === null && (data?.length ?? 0) > 1;
  return (
    <div className="row acting">
      <span className="fine" dir="auto">
        {knowledge.actsFor(organization.name)}
      </span>
      {hasOthers && <Button onPress={() => setOrganization(null)}>{knowledge.changeOrganization}</Button>}
    </div>
  );
}
