// The API secrets with which programs call the service: of the person, or of the organization for which they act.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import { ConfirmDialog } from "../../controls/dialog.tsx";
import { EmptyView } from "../../controls/empty-view.tsx";
import { Page, Panel } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { type HeldSecret, SecretDialog } from "../../controls/secret-dialog.tsx";
import { useConsole } from "../../data/console-context.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { NewSecretDialog } from "./new-secret-dialog.tsx";
import { PlanLimits } from "./plan-limits.tsx";
import { SecretsTable } from "./secrets-table.tsx";
import { type NewSecret, useSecrets } from "./use-secrets.ts";

export default function SecretsView(): ReactElement {
  const { secrets: texts } = useTexts();
  const { root, person, organizationId } = useConsole();
  const queries = useQueryClient();
  const secrets = useSecrets();
  const query = useQuery({ queryKey: ["secrets", organizationId], queryFn: secrets.list });
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<HeldSecret & Omit<NewSecret, "value">>();
  const [revoked, setRevoked] = useState<string>();
  const [said, setSaid] = useState("");
  // What a secret does, plan and suspension among it, may change with it.
  const refresh = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ["secrets"] }),
      queries.invalidateQueries({ queryKey: ["credits"] }),
    ]);
  const make = (
    <Button className="main" onPress={() => setMaking(true)}>
      {texts.make}
    </Button>
  );
  return (
    <Page actions={make} lead={organizationId === null ? texts.lead : texts.organizationLead} title={texts.title}>
      <p className="fine" role="status">
        {said}
      </p>
      <QueryResult
        empty={
          <EmptyView request={{ method: "POST", path: secrets.path, body: { alias: "laptop" } }} words={texts.empty} />
        }
        isEmpty={(list) => list.length === 0}
        query={query}
      >
        {(list) => (
          <Panel title={texts.inUse(list.length)}>
            <SecretsTable onRevoke={setRevoked} secrets={list} />
          </Panel>
        )}
      </QueryResult>
      <Panel title={texts.computers}>
        <p>{texts.computersNote}</p>
        <a className="button" href={new URL("device", root).href}>
          {texts.signInComputer}
        </a>
      </Panel>
      <Panel title={texts.once}>
        <p>{texts.onceNote}</p>
      </Panel>
      {organizationId === null && <PlanLimits plan={person.plan} />}
      <NewSecretDialog
        isOpen={isMaking}
        make={secrets.make}
        onClose={() => setMaking(false)}
        onMade={(secret) => {
          setMade(secret);
          setMaking(false);
          void refresh();
        }}
      />
      <SecretDialog
        onClose={() => setMade(undefined)}
        secret={made}
        title={texts.madeTitle(made?.alias ?? "")}
        words={made?.hasResumedRuntime ? `${texts.madeNote} ${texts.resumed}` : texts.madeNote}
      />
      <ConfirmDialog
        action={texts.revoke}
        isOpen={revoked !== undefined}
        onClose={() => setRevoked(undefined)}
        onConfirm={async () => {
          if (revoked === undefined) return;
          await secrets.revoke(revoked);
          setSaid(texts.revoked(revoked));
          await refresh();
        }}
        title={texts.revokeTitle(revoked ?? "")}
        words={<p>{texts.revokeNote}</p>}
      />
    </Page>
  );
}
