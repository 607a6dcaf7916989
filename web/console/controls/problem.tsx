// What went wrong, in the service's words, with what can be done about it. A part of the first view: its button is the
// browser's own, which costs nothing.
import type { ReactElement } from "react";
import { ApiError, ConnectionError } from "../../../sdk/client/index.ts";
import { RequestError } from "../../shared/request-error.ts";
import type { Texts } from "../texts/load-texts.ts";
import { useTexts } from "../texts/texts-context.ts";

export interface ProblemProps {
  /** Nothing is shown for null and undefined. */
  error: unknown;
  /** Asks again; without it there is no button. */
  retry?(): void;
}

export function Problem({ error, retry }: ProblemProps): ReactElement | null {
  const { shell, service } = useTexts();
  if (error === null || error === undefined) return null;
  const api = error instanceof ApiError ? error : undefined;
  const { words, detail } = wordsOf(error, { shell, service });
  return (
    <div className="panel problem" role="alert">
      <p className="wrong">{words}</p>
      {detail && (
        <p className="fine" lang="en">
          {detail}
        </p>
      )}
      <div className="row">
        {api?.topupUrl && (
          <a className="button main" href={api.topupUrl}>
            {shell.buyCredits}
          </a>
        )}
        {api?.upgradeUrl && (
          <a className="button main" href={api.upgradeUrl}>
            {shell.changePlan}
          </a>
        )}
        {retry && (
          <button onClick={retry} type="button">
            {shell.retry}
          </button>
        )}
      </div>
      {api?.requestId && <p className="fine">{shell.requestId(api.requestId)}</p>}
    </div>
  );
}

/** What went wrong, in the person's language as far as it has a text; `detail` is the service's own sentence. */
export function wordsOf(
  error: unknown,
  { shell, service }: Pick<Texts, "shell" | "service">,
): { words: string; detail?: string } {
  if (error instanceof ConnectionError) return { words: shell.offline };
  if (error instanceof RequestError && error.code === "NETWORK") return { words: shell.offline };
  if (error instanceof ApiError || error instanceof RequestError) return service.error(error.code, error.message);
  return { words: error instanceof Error ? error.message : shell.wrong };
}
