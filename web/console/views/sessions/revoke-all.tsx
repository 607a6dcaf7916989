// Ends every session and refuses others: for a secret that was lost. Only for the account itself.
import { useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import { ConfirmDialog } from "../../controls/dialog.tsx";
import { useConsole } from "../../data/console-context.ts";
import { useTexts } from "../../texts/texts-context.ts";

export function RevokeAll({ onSaid }: { onSaid(words: string): void }): ReactElement | null {
  const { sessions: texts } = useTexts();
  const { client, person, organizationId } = useConsole();
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  if (organizationId !== null) return null;
  return (
    <>
      <Button onPress={() => setOpen(true)}>{texts.revokeAll}</Button>
      <ConfirmDialog
        action={texts.revokeAll}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={async () => {
          const { revoked } = await client.sessions.revokeAll(person.user_id, {});
          onSaid(texts.revokedAll(revoked));
          await Promise.all([
            queries.invalidateQueries({ queryKey: ["sessions"] }),
            queries.invalidateQueries({ queryKey: ["credits"] }),
          ]);
        }}
        title={texts.revokeAllTitle}
        typed={texts.revokeAllWord}
        words={<p>{texts.revokeAllNote}</p>}
      />
    </>
  );
}
