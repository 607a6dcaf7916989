// One of the places where a person is signed in.
import type { ReactElement } from "react";
import { Button } from "react-aria-components";
import type { ListedSession } from "../../data/console-schemas.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";

export function SessionRow({ session, end }: { session: ListedSession; end: () => void }): ReactElement {
  const { account } = useTexts();
  const formats = useFormats();
  const time = formats.time(session.last_used_at);
  const what = account.signedIn(account.methods[session.method], session.address, time);
  return (
    <li>
      <div>
        <span>{session.is_current ? account.thisSession(what) : what}</span>
        <p className="fine">{session.user_agent || account.unknownBrowser}</p>
      </div>
      {!session.is_current && (
        <Button aria-label={account.endSession(session.address, time)} onPress={end}>
          {account.end}
        </Button>
      )}
    </li>
  );
}
