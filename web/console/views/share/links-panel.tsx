// Addresses that can be sent to people: the public page, and short links that end.
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useRef, useState } from "react";
import { Button } from "react-aria-components";
import type { EmbedLink } from "../../../../sdk/client/index.ts";
import { CopyButton } from "../../controls/copy-button.tsx";
import { SelectField } from "../../controls/field.tsx";
import { LoadMore } from "../../controls/load-more.tsx";
import { Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";

const DAYS = ["1", "7", "30", "90"] as const;
const DAY_S = 86_400;
const PAGE = 20;

/** `url`: of the public page; null if there is none. */
export function LinksPanel({ code, url }: { code: string; url: string | null }): ReactElement {
  const { share } = useTexts();
  const formats = useFormats();
  const { client } = useConsole();
  const makeButton = useRef<HTMLButtonElement>(null);
  const [days, setDays] = useState<(typeof DAYS)[number]>("7");
  const queries = useQueryClient();
  const queryKey = ["embed-links", code];
  const links = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => client.embedLinks.list({ agent_id: code, limit: PAGE, offset: pageParam }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.hasMore ? pages.length * PAGE : undefined),
    select: ({ pages }) => pages.flatMap(({ items }) => items),
  });
  const make = useAction(async () => {
    await client.embedLinks.create({ agent_id: code, expires_in: Number(days) * DAY_S });
    await queries.invalidateQueries({ queryKey });
  });
  const withdraw = useAction(async (link: EmbedLink) => {
    await client.embedLinks.delete(link.code);
    await queries.invalidateQueries({ queryKey });
    // The button goes.
    makeButton.current?.focus();
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
      <Button isDisabled={make.isBusy} ref={makeButton} onPress={() => void make.run()}>
        {share.makeLink}
      </Button>
      <Problem error={make.error ?? withdraw.error} />
      <QueryResult query={links}>
        {(rows) => (
          <ul aria-live="polite" className="rows">
            {rows.map((link) => (
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
        )}
      </QueryResult>
      <LoadMore query={links} />
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
