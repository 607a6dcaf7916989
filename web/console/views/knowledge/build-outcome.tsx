// Why a build did not begin, in words that say what happens next.
import type { ReactElement } from "react";
import { ApiError } from "../../../../sdk/client/index.ts";
import { Problem } from "../../controls/problem.tsx";
import type { Texts } from "../../texts/load-texts.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";

/** `error`: what the call to build threw; null and undefined show nothing. */
export function BuildOutcome({ error }: { error: unknown }): ReactElement | null {
  const { knowledge } = useTexts();
  const formats = useFormats();
  const words =
    error instanceof ApiError ? refusalWords(error.code, knowledge.refusals, formats.time(nextDay())) : null;
  if (words === null) return <Problem error={error} />;
  return (
    <p className="panel" role="status">
      {words}
    </p>
  );
}

function refusalWords(code: string, words: Texts["knowledge"]["refusals"], resetsAt: string): string | null {
  if (code === "KB_EMPTY") return words.empty;
  if (code === "BUILD_IN_PROGRESS") return words.inProgress;
  if (code === "BUILD_CONCURRENCY") return words.busy;
  if (code === "BUILD_DAILY_CAP") return words.cap(resetsAt);
  return null;
}

/** The service counts days of UTC. */
function nextDay(): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
}
