// Which rooms took what was sent, which were left out, and which failed, with what that means.
import type { ReactElement } from "react";
import type { DeliveryReceipt } from "../../../../sdk/client/index.ts";
import { useTexts } from "../../texts/texts-context.ts";

export function Receipt({ receipt }: { receipt: DeliveryReceipt }): ReactElement {
  const { sessions: texts } = useTexts();
  const lists: [readonly string[], string][] = [
    [receipt.rooms, texts.delivered],
    [receipt.rooms_skipped, texts.skipped],
    [receipt.rooms_failed, texts.failed],
  ];
  return (
    <>
      {lists.map(([rooms, words]) => rooms.length > 0 && <span key={words}>{`${words} ${rooms.join(", ")}. `}</span>)}
    </>
  );
}
