// Why a conversation is over, and what to do about it.
import type { ReactElement } from "react";
import { Button } from "react-aria-components";
import { useTexts } from "../../texts/texts-context.ts";
import type { TalkEnd } from "./use-talk-measures.ts";

export interface EndNoticeProps {
  end: TalkEnd;
  again(): void;
}

export function EndNotice({ end: { reason, topupUrl }, again }: EndNoticeProps): ReactElement {
  const { talk, shell } = useTexts();
  const known: Readonly<Record<string, string>> = talk.ends;
  const words = Object.hasOwn(known, reason) ? known[reason] : talk.endedOtherwise(reason);
  return (
    <div className="panel">
      <p>{words}</p>
      <div className="row">
        {topupUrl !== undefined && URL.canParse(topupUrl) && /^https?:/.test(topupUrl) && (
          <a className="button main" href={topupUrl}>
            {shell.buyCredits}
          </a>
        )}
        <Button onPress={again}>{talk.again}</Button>
      </div>
    </div>
  );
}
