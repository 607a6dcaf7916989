// Addresses that can be sent to people: the public page, and short links that end.
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import type { EmbedLink } from "../../../../sdk/client/index.ts";
import { CopyButton } from "../../controls/copy-button.tsx";
import { SelectField } from "../../controls/field.tsx";
import { Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";

const DAYS = ["1", "7", "30", "90"] as const;
const DAY_S = 86_400;

/** `url`: of the public page; null if there is none. */
export function LinksPanel({ code, url }: { code: string; url: string | null }): ReactElement {
  const { share } = useTexts();
  const formats = useFormats();
  const { client } = useConsole();
  const [days, setDays] = useState<(typeof DAYS)[number]>("7");
  const [links, setLinks] = useState<readonly EmbedLink[]>([]);
  const make = useAction(async () => {
    const link = await client.embedLinks.create({ agent_id: code, expires_in: Number(days) * DAY_S });
    setLinks((before) => [link, ...before]);
  });
  const withdraw = useAction(async (link: EmbedLink) => {
    await client.embedLinks.delete(link.code);
    setLinks((before) => before.filter((one) => one !== link));
  });
  return (
    <Panel title={share.links}>
      <h3>{share.publicPage}</h3>
      {url === null ? <p className="fine">{share.noPublicPage}</p> : <Address url={url} />}
      <h3>{share.shortLinks}</h3>
      <p className="fine">{share.shortLinksNote}</p>
      <SelectField
        choices={DAYS.map((value) => ({ value, words: share.days(Number(value)) }))}
        label={share.lasts}
        onChange={(value) => setDays(value)}
        value={days}
      />
      <Button isDisabled={make.isBusy} onPress={() => void make.run()}>
        {share.makeLink}
      </Button>
      <Problem error={make.error ?? withdraw.error} />
      <ul aria-live="polite" className="rows">
        {links.map((link) => (
          <li key={link.code}>
            <div>
              <Address url={link.url} />
              <p className="fine">{share.until(formats.time(link.expires_at))}</p>
            </div>
            <Button aria-label={share.withdrawLink(link.url)} onPress={() => void withdraw.run(link)}>
              {share.withdraw}
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Address({ url }: { url: string }): ReactElement {
  return (
    <p className="row">
      <a href={url} rel="noreferrer" target="_blank">
        {url}
      </a>
      <CopyButton text={url} />
    </p>
  );
}
