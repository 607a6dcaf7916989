// The person's organizations, a new one, and an invitation to another.
import { useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import { Link, useLocation } from "wouter";
import type { OwnOrganization } from "../../../../sdk/client/index.ts";
import { Badge } from "../../controls/badge.tsx";
import { EmptyView } from "../../controls/empty-view.tsx";
import { TextField } from "../../controls/field.tsx";
import { Page, Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useOwnClient } from "../../data/use-own-client.ts";
import { useOwnOrganizations } from "../../data/use-own-organizations.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { AcceptInvitation } from "./accept-invitation.tsx";

const EXAMPLE = { method: "POST", path: "/v2/organizations", body: { name: "Museum of the Sea" } } as const;
const MAX_NAME_CHARACTERS = 100;

export function OrganizationsPage(): ReactElement {
  const { organizations: texts } = useTexts();
  const { person } = useConsole();
  const organizations = useOwnOrganizations();
  return (
    <Page lead={texts.lead} title={texts.title}>
      {person.organization_id !== null && <p className="panel">{texts.ownOnly}</p>}
      <Panel title={texts.yours}>
        <QueryResult
          empty={<EmptyView request={EXAMPLE} words={texts.empty} />}
          isEmpty={(list) => list.length === 0}
          query={organizations}
        >
          {(list) => (
            <ul className="rows">
              {list.map((organization) => (
                <OrganizationRow key={organization.id} organization={organization} />
              ))}
            </ul>
          )}
        </QueryResult>
      </Panel>
      {person.organization_id === null && (
        <>
          <Panel title={texts.create}>
            <NewOrganization />
          </Panel>
          <Panel title={texts.acceptTitle}>
            <AcceptInvitation />
          </Panel>
        </>
      )}
    </Page>
  );
}

function OrganizationRow({ organization }: { organization: OwnOrganization }): ReactElement {
  const { organizations: texts } = useTexts();
  const { organizationId, setOrganization, person } = useConsole();
  const { id, name, role, slug } = organization;
  const isActing = organizationId === id;
  return (
    <li>
      <div>
        <Link href={`/${id}`}>
          <bdi>{name}</bdi>
        </Link>{" "}
        <Badge tone="quiet" words={texts.roles[role]} />
        <p className="fine">
          <code>{slug}</code>
        </p>
      </div>
      {person.organization_id === null && (
        <Button onPress={() => setOrganization(isActing ? null : id)}>
          {isActing ? texts.actForMyself : texts.actForIt(name)}
        </Button>
      )}
    </li>
  );
}

function NewOrganization(): ReactElement {
  const { organizations: texts } = useTexts();
  const client = useOwnClient();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [name, setName] = useState("");
  const create = useAction(async () => {
    const { id } = await client.organizations.create({ name: name.trim() });
    await queries.invalidateQueries({ queryKey: ["organizations"] });
    navigate(`/${id}`);
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "") void create.run();
      }}
    >
      <p>{texts.createNote}</p>
      <TextField
        autoComplete="off"
        isRequired
        label={texts.name}
        maxLength={MAX_NAME_CHARACTERS}
        onChange={setName}
        value={name}
      />
      <Problem error={create.error} />
      <Button className="main" isDisabled={create.isBusy} type="submit">
        {texts.createIt}
      </Button>
    </form>
  );
}
