// The button that opens the computer's choice of files.
import type { ReactElement } from "react";
import { Button, FileTrigger } from "react-aria-components";
import { useTexts } from "../../texts/texts-context.ts";
import { DOCUMENT_ENDINGS } from "./document-problem.ts";

export interface AddButtonProps {
  /** Name of the base that the documents go to; undefined where that is clear. */
  baseName?: string;
  isMain?: boolean;
  isBusy: boolean;
  onChosen(files: readonly File[]): void;
}

export function AddButton({ baseName, isMain = false, isBusy, onChosen }: AddButtonProps): ReactElement {
  const { knowledge } = useTexts();
  return (
    <FileTrigger
      acceptedFileTypes={[...DOCUMENT_ENDINGS]}
      allowsMultiple
      onSelect={(files) => files && onChosen([...files])}
    >
      <Button
        aria-label={baseName === undefined ? undefined : knowledge.addTo(baseName)}
        className={isMain ? "main" : undefined}
        isDisabled={isBusy}
      >
        {knowledge.addDocuments}
      </Button>
    </FileTrigger>
  );
}
