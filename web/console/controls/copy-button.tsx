// Copies a text, and says whether that worked.
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import { copyText } from "../../shared/copy-text.ts";
import { useTexts } from "../texts/texts-context.ts";

export function CopyButton({ text, label }: { text: string; label?: string }): ReactElement {
  const { shell } = useTexts();
  const [said, setSaid] = useState("");
  return (
    <span className="copy">
      <Button onPress={async () => setSaid((await copyText(text)) ? shell.copied : shell.copyFailed)}>
        {label ?? shell.copy}
      </Button>
      <span className="fine" role="status">
        {said}
      </span>
    </span>
  );
}
