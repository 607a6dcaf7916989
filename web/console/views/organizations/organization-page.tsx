// One organization, as the person's role lets them see it.
import { useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import { useLocation } from "wouter";
import type { OwnOrganization } from "../../../../sdk/client/index.ts";
import { ConfirmDialog } from "../../controls/dialog.tsx";
import { Facts } from "../../controls/facts.tsx";
import { TextField } from "../../controls/field.tsx";
import { Page, Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useOwnClient } from "../../data/use-own-client.ts";
import { useOwnOrganizations } from "../../data/use-own-organizations.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { AuditLog } from "./audit-log.tsx";
import { MemberUsage } from "./member-usage.tsx";
import { Members } from "./members.tsx";
import { OrganizationSecrets } from "./organization-secrets.tsx";
import { Ownership } from "./ownership.tsx";
import { rightsOf } from "./rights.ts";

export function OrganizationPage({ id }: { id: string }): ReactElement {
  const { organizations: texts } = useTexts();
  const organizations = useOwnOrganizations();
  const found = organizations.data?.find((organization) => organization.id === id);
  return (
    <Page back="/" title={found?.name ?? texts.one}>
      <QueryResult query={organizations}>
        {() => (found ? <Parts organization={found} /> : <p className="panel">{texts.notFound}</p>)}
      </QueryResult>
    </Page>
  );
}

function Parts({ organization }: { organization: OwnOrganization }): ReactElement {
  const { organizations: texts } = useTexts();
  const { person } = useConsole();
  const formats = useFormats();
  const { id, slug, plan, role, created_at: createdAt } = organization;
  const rights = rightsOf(role, person);
  return (
    <>
      {person.organization_id !== null && <p className="panel">{texts.ownOnly}</p>}
      <Panel title={texts.about}>
        <Facts
          facts={[
            [texts.yourRole, `${texts.roles[role]}: ${texts.roleNotes[role]}`],
            [texts.plan, plan],
            [texts.slug, <code key="slug">{slug}</code>],
            [texts.created, formats.time(createdAt)],
          ]}
        />
        {rights.mayManage && <Rename key={organization.name} organization={organization} />}
      </Panel>
      <Members organization={organization} rights={rights} />
      <OrganizationSecrets id={id} rights={rights} />
      <MemberUsage id={id} rights={rights} />
      <AuditLog id={id} rights={rights} />
      {rights.isOwner && (
        <>
          <Ownership organization={organization} />
          <Deletion organization={organization} />
        </>
      )}
    </>
  );
}

function Rename({ organization }: { organization: OwnOrganization }): ReactElement {
  const { organizations: texts } = useTexts();
  const client = useOwnClient();
  const queries = useQueryClient();
  const [name, setName] = useState(organization.name);
  const rename = useAction(async () => {
    await client.organizations.update(organization.id, { name: name.trim() });
    await queries.invalidateQueries({ queryKey: ["organizations"] });
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "") void rename.run();
      }}
    >
      <TextField autoComplete="off" isRequired label={texts.name} maxLength={100} onChange={setName} value={name} />
      <Problem error={rename.error} />
      <Button isDisabled={rename.isBusy || name.trim() === organization.name} type="submit">
        {texts.rename}
      </Button>
    </form>
  );
}

function Deletion({ organization }: { organization: OwnOrganization }): ReactElement {
  const { organizations: texts } = useTexts();
  const client = useOwnClient();
  const queries = useQueryClient();
  const { organizationId, setOrganization } = useConsole();
  const [, navigate] = useLocation();
  const [isAsked, setAsked] = useState(false);
  const { id, name, slug } = organization;
  return (
    <Panel title={texts.deleteTitle}>
      <p>{texts.deleteNote}</p>
      <Button onPress={() => setAsked(true)}>{texts.deleteTitle}</Button>
      <ConfirmDialog
        action={texts.deleteTitle}
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        onConfirm={async () => {
          await client.organizations.delete(id);
          if (organizationId === id) setOrganization(null);
          navigate("/");
          await queries.invalidateQueries({ queryKey: ["organizations"] });
        }}
        title={texts.deleteOne(name)}
        typed={slug}
        words={texts.deleteNote}
      />
    </Panel>
  );
}
