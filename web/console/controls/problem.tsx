// What went wrong, in the service's words, with what can be done about it.
import type { ReactElement } from "react";
import { Button } from "react-aria-components";
import { ApiError, ConnectionError } from "../../../sdk/client/index.ts";
import { RequestError } from "../../shared/request-error.ts";
import { useTexts } from "../texts/texts-context.ts";

export interface ProblemProps {
  /** Nothing is shown for null and undefined. */
  error: unknown;
  /** Asks again; without it there is no button. */
  retry?(): void;
}

export function Problem({ error, retry }: ProblemProps): ReactElement | null {
  const { shell } = useTexts();
  if (error === null || error === undefined) return null;
  const api = error instanceof ApiError ? error : undefined;
  return (
    <div className="panel problem" role="alert">
      <p className="wrong">{messageOf(error, shell.offline, shell.wrong)}</p>
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
        {retry && <Button onPress={retry}>{shell.retry}</Button>}
      </div>
      {api?.requestId && <p className="fine">{shell.requestId(api.requestId)}</p>}
    </div>
  );
}

function messageOf(error: unknown, offline: string, wrong: string): string {
  if (error instanceof ConnectionError) return offline;
  if (error instanceof RequestError && error.code === "NETWORK") return offline;
  return error instanceof Error ? error.message : wrong;
}
