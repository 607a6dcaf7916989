// Why something failed, in the service's own words. They are English: elsewhere the page says so in its language.
import type { ReactElement } from "react";
import { useLanguage, useTexts } from "../texts/texts-context.ts";

export interface ReasonProps {
  message: string;
  /** What the page adds, such as that the credits are back. */
  note?: string;
  /** Further classes of the paragraph. */
  className?: string;
  role?: "status";
}

export function Reason({ message, note, className, role }: ReasonProps): ReactElement {
  const { shell } = useTexts();
  const { language } = useLanguage();
  return (
    <p className={["wrong", className].join(" ").trim()} dir="auto" role={role}>
      {language !== "en" && `${shell.failed} `}
      <span lang="en">{message}</span>
      {note && ` ${note}`}
    </p>
  );
}
