// A view without anything in it: what it is for, what to do, and the same by a program.
import type { ReactElement, ReactNode } from "react";
import { CodeExample, type ExampleRequest } from "./code-example.tsx";

export interface EmptyViewProps {
  /** What would be here, and what to do. */
  words: string;
  /** Buttons or links to do it here. */
  action?: ReactNode;
  /** The call that does it. */
  request?: ExampleRequest;
}

export function EmptyView({ words, action, request }: EmptyViewProps): ReactElement {
  return (
    <div className="panel empty">
      <p>{words}</p>
      {action && <div className="row">{action}</div>}
      {request && <CodeExample request={request} />}
    </div>
  );
}
