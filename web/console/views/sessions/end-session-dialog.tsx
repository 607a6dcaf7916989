// Asks before a session is ended.
import { useQueryClient } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { ConfirmDialog } from "../../controls/dialog.tsx";
import { useConsole } from "../../data/console-context.ts";
import { useTexts } from "../../texts/texts-context.ts";

export interface EndSessionDialogProps {
  /** Undefined: nothing is asked. */
  session: { id: string; name: string } | undefined;
  onClose(): void;
  onEnded(name: string): void;
}

export function EndSessionDialog({ session, onClose, onEnded }: EndSessionDialogProps): ReactElement {
  const { sessions: texts } = useTexts();
  const { client, person } = useConsole();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      action={texts.end}
      isOpen={session !== undefined}
      onClose={onClose}
      onConfirm={async () => {
        if (!session) return;
        await client.sessions.terminate(person.user_id, session.id, {});
        onEnded(session.name);
        await queries.invalidateQueries({ queryKey: ["sessions"] });
      }}
      title={texts.endTitle(session?.name ?? "")}
      words={<p>{texts.endNote}</p>}
    />
  );
}
