// Names the computer that asks for a secret, and takes the person's decision.
import { type ReactElement, useEffect, useRef, useState } from "react";
import { Button } from "react-aria-components";
import { Facts } from "../controls/facts.tsx";
import { TextField } from "../controls/field.tsx";
import { Problem } from "../controls/problem.tsx";
import { useAction } from "../controls/use-action.ts";
import type { ConsoleClient } from "../data/console-client.ts";
import type { AskingDevice } from "../data/console-schemas.ts";
import { useFormats, useTexts } from "../texts/texts-context.ts";

export interface DeviceFormProps {
  client: ConsoleClient;
  /** That the person has come with; empty for none. */
  code: string;
  email: string;
}

export default function DeviceForm({ client, code: given, email }: DeviceFormProps): ReactElement {
  const { signIn } = useTexts();
  const formats = useFormats();
  const [code, setCode] = useState(given);
  const [device, setDevice] = useState<AskingDevice>();
  const [isConfirmed, setConfirmed] = useState<boolean>();
  const title = useRef<HTMLHeadingElement>(null);
  const find = useAction(async (wanted: string) => setDevice(await client.findDevice(wanted)));
  const decide = useAction(async (isYes: boolean) => {
    if (!device) return;
    await client.decide(device.user_code, isYes);
    setConfirmed(isYes);
  });
  const hasAsked = useRef(false);
  useEffect(() => {
    if (hasAsked.current || given === "") return;
    hasAsked.current = true;
    void find.run(given);
  }, [given, find]);
  // Not to the button: a key that is still held must not confirm what no one has read.
  // biome-ignore lint/correctness/useExhaustiveDependencies: focus moves when what is asked changes
  useEffect(() => title.current?.focus(), [device, isConfirmed]);

  if (isConfirmed !== undefined && device) {
    return (
      <>
        <h1 ref={title} tabIndex={-1}>
          {isConfirmed ? signIn.confirmed : signIn.refused}
        </h1>
        <p className="lead">{isConfirmed ? signIn.confirmedNote(device.host) : signIn.refusedNote(device.host)}</p>
      </>
    );
  }
  return (
    <>
      <h1 ref={title} tabIndex={-1}>
        {signIn.deviceTitle}
      </h1>
      <p className="lead">{signIn.signedInAs(email)}</p>
      <Problem error={find.error ?? decide.error} />
      {device ? (
        <section className="panel">
          <p>{signIn.asks}</p>
          <Facts
            facts={[
              [signIn.computer, device.host],
              [signIn.address, device.address],
              [signIn.asked, formats.clock(device.created_at)],
              [signIn.askedCode, device.user_code],
            ]}
          />
          <p>{signIn.caution}</p>
          <div className="row">
            <Button className="main" isDisabled={decide.isBusy} onPress={() => void decide.run(true)}>
              {signIn.confirm}
            </Button>
            <Button isDisabled={decide.isBusy} onPress={() => void decide.run(false)}>
              {signIn.refuse}
            </Button>
          </div>
        </section>
      ) : (
        <form
          className="panel stack"
          onSubmit={(event) => {
            event.preventDefault();
            void find.run(code);
          }}
        >
          <TextField
            autoComplete="off"
            isRequired
            label={signIn.code}
            maxLength={20}
            onChange={setCode}
            placeholder="BCDF-GHJK"
            spellCheck="false"
            value={code}
          />
          <div className="row">
            <Button className="main" isDisabled={find.isBusy} type="submit">
              {signIn.continue}
            </Button>
          </div>
        </form>
      )}
    </>
  );
}
