// That a list has more entries than it shows.
import type { ReactElement } from "react";
import { useFormats, useTexts } from "../../texts/texts-context.ts";

export function NotAll({ listed, total }: { listed: number; total: number }): ReactElement | null {
  const { operator } = useTexts();
  const formats = useFormats();
  if (listed >= total) return null;
  return <p className="fine">{operator.more(formats.number(listed), formats.number(total))}</p>;
}
