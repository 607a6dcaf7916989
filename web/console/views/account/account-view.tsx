// Who is signed in, where, for whom they act, and in which language.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { Button } from "react-aria-components";
import { ActingFor } from "../../app/acting-for.tsx";
import { Facts } from "../../controls/facts.tsx";
import { SelectField } from "../../controls/field.tsx";
import { Page, Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { LANGUAGE_NAMES, LANGUAGES } from "../../texts/languages.ts";
import { useLanguage, useTexts } from "../../texts/texts-context.ts";
import { SessionRow } from "./session-row.tsx";

export default function AccountView(): ReactElement {
  const { account, shell, signIn } = useTexts();
  const { language, setLanguage } = useLanguage();
  const { person, root, consoleClient } = useConsole();
  const signOut = useAction(async () => {
    await consoleClient.signOut();
    // Nothing of the account stays in the page.
    location.assign(new URL("console", root));
  });
  return (
    <Page
      actions={
        <Button isDisabled={signOut.isBusy} onPress={() => void signOut.run()}>
          {shell.signOut}
        </Button>
      }
      lead={signIn.signedInAs(person.email)}
      title={account.title}
    >
      <Problem error={signOut.error} />
      <Panel title={account.title}>
        <Facts
          facts={[
            [account.email, person.email],
            [
              account.plan,
              <a href={new URL("account/plan", root).href} key="plan">
                {person.plan}
              </a>,
            ],
            [account.userId, <code key="id">{person.user_id}</code>],
          ]}
        />
        <ActingFor />
        <SelectField
          choices={LANGUAGES.map((value) => ({ value, words: LANGUAGE_NAMES[value] }))}
          label={shell.language}
          onChange={setLanguage}
          value={language}
        />
        <p>
          <a href={new URL("device", root).href}>{account.computer}</a>
        </p>
      </Panel>
      <Panel title={account.sessions}>
        {/* Signed in with the secret of an organization, one sees no sessions of the person. */}
        {person.organization_id === null ? <Sessions /> : <p>{account.sessionsHidden}</p>}
      </Panel>
    </Page>
  );
}

function Sessions(): ReactElement {
  const { account } = useTexts();
  const { consoleClient } = useConsole();
  const queries = useQueryClient();
  const sessions = useQuery({ queryKey: ["sign-ins"], queryFn: () => consoleClient.sessions() });
  const end = useAction(async (id: string) => {
    await consoleClient.revoke(id);
    await queries.invalidateQueries({ queryKey: ["sign-ins"] });
  });
  return (
    <>
      <p className="fine">{account.sessionsNote}</p>
      <Problem error={end.error} />
      <QueryResult query={sessions}>
        {(list) => (
          <ul className="rows">
            {list.map((session) => (
              <SessionRow end={() => void end.run(session.id)} key={session.id} session={session} />
            ))}
          </ul>
        )}
      </QueryResult>
    </>
  );
}
