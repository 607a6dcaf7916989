// Secrets in use: what they are called, when they were used, and how to end them.
import type { ReactElement } from "react";
import { Button } from "react-aria-components";
import { Badge } from "../../controls/badge.tsx";
import { type Column, Table } from "../../controls/table.tsx";
import { useNow } from "../../controls/use-now.ts";
import { useConsole } from "../../data/console-context.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import type { ListedSecret } from "./use-secrets.ts";

/** What the names of computers that were signed in by a code begin with. */
const COMPUTER_PREFIX = "cli@";
/** Ages are told in minutes. */
const AGE_STEP_MS = 60_000;

export interface SecretsTableProps {
  secrets: readonly ListedSecret[];
  onRevoke(alias: string): void;
}

export function SecretsTable({ secrets, onRevoke }: SecretsTableProps): ReactElement {
  const { secrets: texts } = useTexts();
  const formats = useFormats();
  const { person } = useConsole();
  const nowMs = useNow(AGE_STEP_MS);
  const columns: Column<ListedSecret>[] = [
    {
      title: texts.name,
      cell: ({ alias }) => (
        <span className="row">
          <bdi>{alias}</bdi>
          {alias.startsWith(COMPUTER_PREFIX) && <Badge tone="quiet" words={texts.computer} />}
        </span>
      ),
    },
    { title: texts.value, cell: ({ key_display }) => <code>…{key_display.slice(-4)}</code> },
    {
      title: texts.lastUse,
      cell: ({ last_used_at: at }) => (at === null ? texts.never : <Moment at={at} words={formats.age(at, nowMs)} />),
    },
    { title: texts.created, cell: ({ created_at: at }) => <Moment at={at} words={formats.time(at)} /> },
    ...(secrets.some(({ user_id }) => user_id !== undefined)
      ? [
          {
            title: texts.issuer,
            cell: ({ user_id: id }: ListedSecret) => (id === person.user_id ? texts.you : <code>{id}</code>),
          },
        ]
      : []),
    {
      title: texts.actions,
      cell: ({ alias }) => (
        <Button aria-label={texts.revokeOne(alias)} onPress={() => onRevoke(alias)}>
          {texts.revoke}
        </Button>
      ),
    },
  ];
  return <Table columns={columns} keyOf={({ alias }) => alias} label={texts.title} rows={secrets} />;
}

/** In words, with the exact time for a pointer. */
function Moment({ at, words }: { at: string; words: string }): ReactElement {
  const formats = useFormats();
  return (
    <time dateTime={at} title={formats.time(at)}>
      {words}
    </time>
  );
}
