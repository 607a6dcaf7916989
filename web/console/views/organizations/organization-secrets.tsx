// API secrets of an organization. Each acts for the member who made it, and that member pays.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import type { OrganizationSecret } from "../../../../sdk/client/index.ts";
import { ConfirmDialog } from "../../controls/dialog.tsx";
import { TextField } from "../../controls/field.tsx";
import { Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { type HeldSecret, SecretDialog } from "../../controls/secret-dialog.tsx";
import { type Column, Table } from "../../controls/table.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useOwnClient } from "../../data/use-own-client.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import type { Rights } from "./rights.ts";
import { useMembers } from "./use-members.ts";

export function OrganizationSecrets({ id, rights }: { id: string; rights: Rights }): ReactElement {
  const { organizations: texts } = useTexts();
  const client = useOwnClient();
  const { person } = useConsole();
  const formats = useFormats();
  const queries = useQueryClient();
  const members = useMembers(id);
  const [alias, setAlias] = useState("");
  const [made, setMade] = useState<HeldSecret>();
  const [revoked, setRevoked] = useState<string>();
  const secrets = useQuery({
    queryKey: ["secrets", "organization", id],
    queryFn: async () => (await client.organizationSecrets.list(id)).items,
  });
  const reload = () => queries.invalidateQueries({ queryKey: ["secrets"] });
  const create = useAction(async () => {
    const { secret } = await client.organizationSecrets.create(id, { alias: alias.trim() || null });
    setMade({ value: secret });
    setAlias("");
    await reload();
  });
  const emailOf = (userId: string) => members.data?.find(({ user_id }) => user_id === userId)?.email ?? userId;
  const columns: Column<OrganizationSecret>[] = [
    { title: texts.alias, cell: ({ alias: name }) => <bdi>{name}</bdi> },
    { title: texts.madeBy, cell: ({ user_id: userId }) => <bdi>{emailOf(userId)}</bdi> },
    { title: texts.created, cell: ({ created_at: at }) => formats.time(at) },
    {
      title: texts.revoke,
      cell: ({ alias: name, user_id: userId }) =>
        (rights.mayManage || (rights.mayChange && userId === person.user_id)) && (
          <Button aria-label={texts.revokeOf(name)} onPress={() => setRevoked(name)}>
            {texts.revoke}
          </Button>
        ),
    },
  ];
  return (
    <Panel title={texts.secrets}>
      <p>{texts.secretsNote}</p>
      <QueryResult empty={<p>{texts.noSecrets}</p>} isEmpty={(list) => list.length === 0} query={secrets}>
        {(list) => <Table columns={columns} keyOf={({ alias: name }) => name} label={texts.secrets} rows={list} />}
      </QueryResult>
      {rights.mayChange && (
        <form
          className="organization-form"
          onSubmit={(event) => {
            event.preventDefault();
            void create.run();
          }}
        >
          <TextField
            autoComplete="off"
            label={texts.newAlias}
            maxLength={32}
            onChange={setAlias}
            spellCheck="false"
            value={alias}
          />
          <Problem error={create.error} />
          <Button isDisabled={create.isBusy} type="submit">
            {texts.makeSecret}
          </Button>
        </form>
      )}
      <SecretDialog
        onClose={() => setMade(undefined)}
        secret={made}
        title={texts.secretTitle}
        words={texts.secretNote}
      />
      <ConfirmDialog
        action={texts.revoke}
        isOpen={revoked !== undefined}
        onClose={() => setRevoked(undefined)}
        onConfirm={async () => {
          await client.organizationSecrets.revoke(id, revoked ?? "");
          await reload();
        }}
        title={texts.revokeOf(revoked ?? "")}
        words={texts.revokeNote}
      />
    </Panel>
  );
}
