// How new what one sees is.
import type { ReactElement } from "react";
import type { ChangesMode } from "../data/changes.ts";
import { useTexts } from "../texts/texts-context.ts";

/** Nothing until it is known. */
export function LiveState({ mode }: { mode: ChangesMode | undefined }): ReactElement {
  const { shell } = useTexts();
  return (
    <p className={`live-state ${mode ?? ""}`} role="status">
      {mode && shell.live[mode]}
    </p>
  );
}
