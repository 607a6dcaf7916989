// The ways to sign in.
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import { TextField } from "../controls/field.tsx";
import { Problem } from "../controls/problem.tsx";
import { useAction } from "../controls/use-action.ts";
import { useTexts } from "../texts/texts-context.ts";

export interface SignInFormProps {
  /** Name of the issuer; null without one. */
  issuer: string | null;
  onSecret(secret: string): Promise<void>;
  onIssuer(): Promise<void>;
}

export default function SignInForm({ issuer, onSecret, onIssuer }: SignInFormProps): ReactElement {
  const { signIn } = useTexts();
  const [secret, setSecret] = useState("");
  const bySecret = useAction(async () => {
    const given = secret.trim();
    // It does not stay in the page.
    setSecret("");
    await onSecret(given);
  });
  const byIssuer = useAction(onIssuer);
  return (
    <>
      <Problem error={bySecret.error ?? byIssuer.error} />
      {issuer !== null && (
        <section className="panel">
          <Button className="main" isDisabled={byIssuer.isBusy} onPress={() => void byIssuer.run()}>
            {signIn.issuer(issuer)}
          </Button>
        </section>
      )}
      <form
        className="panel stack"
        onSubmit={(event) => {
          event.preventDefault();
          void bySecret.run();
        }}
      >
        <TextField
          autoComplete="off"
          isRequired
          label={signIn.secret}
          maxLength={512}
          note={signIn.secretNote}
          onChange={setSecret}
          spellCheck="false"
          type="password"
          value={secret}
        />
        <div className="row">
          <Button className="main" isDisabled={bySecret.isBusy} type="submit">
            {signIn.submit}
          </Button>
        </div>
      </form>
      <section className="panel">
        <h2>{signIn.linkTitle}</h2>
        <p>{signIn.linkNote}</p>
        <pre className="code wrapped">
          <code>npm run avatar -- accounts link you@example.com</code>
        </pre>
      </section>
    </>
  );
}
