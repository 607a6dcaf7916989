// Where the link of an invitation leads.
import { type ReactElement, useEffect, useState } from "react";
import { Page, Panel } from "../../controls/page.tsx";
import { useConsole } from "../../data/console-context.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { AcceptInvitation } from "./accept-invitation.tsx";
import { tokenOf } from "./invitation-link.ts";

export function InvitationPage(): ReactElement {
  const { organizations: texts } = useTexts();
  const { person } = useConsole();
  const [token] = useState(() => (location.hash === "" ? "" : tokenOf(location.hash)));
  useEffect(() => {
    // Neither the address nor the history keeps it.
    if (location.hash !== "") history.replaceState(history.state, "", location.pathname);
  }, []);
  return (
    <Page back="/" lead={texts.invitationLead} title={texts.acceptTitle}>
      {person.organization_id === null ? (
        <Panel title={texts.acceptTitle}>
          <AcceptInvitation given={token === "" ? undefined : token} />
        </Panel>
      ) : (
        <p className="panel">{texts.ownOnly}</p>
      )}
    </Page>
  );
}
