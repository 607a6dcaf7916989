// Before the views: what the person has come with is used up, then they sign in, or confirm a computer's code.
import { lazy, type ReactElement, Suspense, useEffect, useRef, useState } from "react";
import { Problem } from "../controls/problem.tsx";
import type { ConsoleAccess } from "../data/console-access.ts";
import type { ConsoleClient } from "../data/console-client.ts";
import { useTexts } from "../texts/texts-context.ts";
import { type Arrival, readArrival } from "./arrival.ts";
import { keepCode, takeCode } from "./kept-code.ts";
import { keepPlace, takePlace } from "./kept-place.ts";

export interface GateProps {
  arrival: Arrival;
  client: ConsoleClient;
  /** Undefined until it is known. */
  access: ConsoleAccess | undefined;
  /** Why it is not known. */
  error: unknown;
  root: URL;
  /** Of a computer that asks for a secret; empty if the person has to type it, null for none. */
  code: string | null;
  /** Whether the person was signed in before. */
  hasEnded: boolean;
  /** The service knows the session now, if there is one. `keptCode`: of a computer, kept while the person was at the
   *  issuer; null for none. */
  onArrived(keptCode: string | null): Promise<void>;
}

// A person who is signed in needs neither.
const DeviceForm = lazy(() => import("./device-form.tsx"));
const SignInForm = lazy(() => import("./sign-in-form.tsx"));

const openStorage = () => sessionStorage;

export function Gate(props: GateProps): ReactElement {
  const { arrival, client, access, error, root, code, hasEnded, onArrived } = props;
  const { shell, signIn } = useTexts();
  const [problem, setProblem] = useState<unknown>();
  const hasBegun = useRef(false);
  const title = useRef<HTMLHeadingElement>(null);
  const isOut = access?.signed_in === false;

  useEffect(() => {
    // A link or an issuer leads back there.
    if (isOut && readArrival(new URL(location.href)).kind === "open") keepPlace(new URL(location.href), openStorage);
    // What had the focus is gone.
    if (isOut && hasEnded) title.current?.focus();
  }, [isOut, hasEnded]);

  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    void arrive();

    async function arrive(): Promise<void> {
      if (arrival.kind !== "link" && arrival.kind !== "callback") return;
      // What signs in is neither kept in the address nor in the history.
      history.replaceState(null, "", takePlace(root, openStorage) ?? new URL("console", root));
      try {
        await client.signIn(arrival.kind === "link" ? { link: arrival.link } : { callback: arrival.query });
      } catch (failure) {
        // A link that was opened before may have signed in this very browser.
        setProblem(failure);
      }
      await onArrived(takeCode(openStorage));
    }
  }, [arrival, client, root, onArrived]);

  const isDevice = code !== null;
  if (access === undefined) {
    return (
      <main className="page">
        <h1>{shell.title}</h1>
        {error ? <p className="lead">{signIn.unopened}</p> : <p className="waiting">{shell.loading}</p>}
        <Problem error={error} retry={() => location.reload()} />
      </main>
    );
  }
  if (access.signed_in) {
    return (
      <main className="page">
        <Suspense fallback={<p className="waiting">{shell.loading}</p>}>
          <DeviceForm client={client} code={code ?? ""} email={access.email} />
        </Suspense>
      </main>
    );
  }
  return (
    <main className="page">
      <h1 ref={title} tabIndex={-1}>
        {signIn.title}
      </h1>
      {hasEnded && !problem && <p className="panel">{signIn.hasEnded}</p>}
      <p className="lead">{isDevice ? signIn.deviceLead : signIn.lead}</p>
      <Problem error={problem} />
      <Suspense fallback={<p className="waiting">{shell.loading}</p>}>
        <SignInForm
          issuer={access.issuer}
          onIssuer={async () => {
            const url = await client.issuerUrl();
            if (code !== null) keepCode(code, openStorage);
            location.assign(url);
          }}
          onSecret={async (secret) => {
            await client.signIn({ secret });
            setProblem(undefined);
            await onArrived(null);
          }}
        />
      </Suspense>
    </main>
  );
}
