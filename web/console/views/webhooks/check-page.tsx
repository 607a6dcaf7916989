// Checks whether a delivery is genuine, in the tab, and has the code that does the same.
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import { Badge } from "../../controls/badge.tsx";
import { CopyButton } from "../../controls/copy-button.tsx";
import { TextField } from "../../controls/field.tsx";
import { Page, Panel } from "../../controls/page.tsx";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { checkSignature, type SignatureCheck } from "./check-signature.ts";
import { VERIFICATION_CODE } from "./verification-code.ts";

const HEADERS_EXAMPLE = "X-Service-Timestamp: 1764352800\nX-Service-Signature: sha256=…";

export function CheckPage(): ReactElement {
  const { webhooks: texts } = useTexts();
  const [pasted, setPasted] = useState({ body: "", headers: "", secret: "" });
  const [check, setCheck] = useState<SignatureCheck>();
  const put = (part: Partial<typeof pasted>) => {
    setPasted({ ...pasted, ...part });
    setCheck(undefined);
  };
  return (
    <Page back="/" lead={texts.checkLead} title={texts.check}>
      <Panel title={texts.checkTitle}>
        <p>{texts.checkNote}</p>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void checkSignature(pasted).then(setCheck);
          }}
        >
          <TextField
            label={texts.rawBody}
            note={texts.rawBodyNote}
            onChange={(body) => put({ body })}
            rows={5}
            spellCheck="false"
            value={pasted.body}
          />
          <TextField
            label={texts.receivedHeaders}
            onChange={(headers) => put({ headers })}
            placeholder={HEADERS_EXAMPLE}
            rows={5}
            spellCheck="false"
            value={pasted.headers}
          />
          <TextField
            autoComplete="off"
            label={texts.secret}
            note={texts.checkSecretNote}
            onChange={(secret) => put({ secret })}
            placeholder="whsec_…"
            type="password"
            value={pasted.secret}
          />
          <Button className="main" type="submit">
            {texts.checkIt}
          </Button>
          <div role="status">{check && <Verdict check={check} />}</div>
        </form>
      </Panel>
      <Panel title={texts.codeTitle}>
        <p>{texts.codeNote}</p>
        {Object.entries(VERIFICATION_CODE).map(([language, code]) => (
          <section aria-label={language} key={language}>
            <div className="row">
              <h3>{language}</h3>
              <CopyButton label={texts.copyCode(language)} text={code} />
            </div>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
            <pre className="code" tabIndex={0}>
              <code>{code}</code>
            </pre>
          </section>
        ))}
      </Panel>
    </Page>
  );
}

function Verdict({ check }: { check: SignatureCheck }): ReactElement {
  const { webhooks: texts } = useTexts();
  const formats = useFormats();
  if (check.isVerified) {
    return (
      <p className="webhook-verdict">
        <Badge tone="good" words={texts.genuine} /> {texts.genuineNote(check.event, texts.families[check.family])}
      </p>
    );
  }
  const { fault, seconds = 0 } = check;
  return (
    <p className="webhook-verdict">
      <Badge tone="wrong" words={texts.notGenuine} /> {texts.faults[fault]}{" "}
      {(fault === "too-old" || fault === "in-future") && texts.apart(formats.duration(seconds))}
    </p>
  );
}
