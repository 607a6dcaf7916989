// What there is to spend, and for how many minutes of the account's models it is enough.
import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import type { CreditSummary, Pricing } from "../../../../sdk/client/index.ts";
import { Facts } from "../../controls/facts.tsx";
import { Panel } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { Table } from "../../controls/table.tsx";
import { useConsole } from "../../data/console-context.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";

/** Agents whose models count; further ones seldom have others. */
const READ_AGENTS = 100;

export function useBalance() {
  const { client } = useConsole();
  return useQuery({ queryKey: ["credits", "balance"], queryFn: () => client.credits.summarize() });
}

export function usePricing() {
  const { client } = useConsole();
  return useQuery({ queryKey: ["pricing"], queryFn: () => client.pricing.get(), staleTime: 300_000 });
}

export function BalancePanel(): ReactElement {
  const { usage } = useTexts();
  const { root } = useConsole();
  const balance = useBalance();
  return (
    <Panel
      actions={
        <a className="button" href={new URL("account/credits", root).href}>
          {usage.buy}
        </a>
      }
      title={usage.balance}
    >
      <QueryResult query={balance}>{(summary) => <Balance summary={summary} />}</QueryResult>
    </Panel>
  );
}

function Balance({ summary }: { summary: CreditSummary }): ReactElement {
  const { usage } = useTexts();
  const formats = useFormats();
  const pricing = usePricing();
  return (
    <>
      <p className="big-number">{usage.credits(formats.credits(summary.balance))}</p>
      <Facts
        facts={[
          [usage.planCredits, formats.credits(summary.plan_credits)],
          [usage.topupCredits, formats.credits(summary.topup_credits)],
        ]}
      />
      <QueryResult query={pricing}>{(prices) => <MinutesLeft prices={prices} summary={summary} />}</QueryResult>
    </>
  );
}

interface Line {
  name: string;
  streamed: number;
  inBrowser: number | null;
}

function MinutesLeft({ summary, prices }: { summary: CreditSummary; prices: Pricing }): ReactElement {
  const { usage } = useTexts();
  const formats = useFormats();
  const { client } = useConsole();
  const agents = useQuery({
    queryKey: ["agents", "models"],
    queryFn: async () => (await client.agents.list({ limit: READ_AGENTS, status: "ready" })).items,
  });
  const own = new Set(agents.data?.flatMap((agent) => agent.supported_models));
  const offered = Object.keys(prices.realtime.hosted.by_model);
  const models = offered.filter((model) => own.has(model));
  const { minutes_estimate: estimate } = summary;
  const left = (name: string) => estimate[name] ?? 0;
  const lines: Line[] = [
    ...(models.length > 0 ? models : offered).map((model) => {
      const key = model.replaceAll("-", "_");
      return { name: model, streamed: left(`${key}_cloud`), inBrowser: left(`${key}_self_hosted`) };
    }),
    { name: usage.chat, streamed: left("voice_chat"), inBrowser: null },
    { name: usage.camera, streamed: left("camera_chat"), inBrowser: null },
  ];
  return (
    <>
      <h3>{usage.minutesLeft}</h3>
      <p className="fine">{usage.minutesNote}</p>
      <Table
        columns={[
          { title: usage.model, cell: ({ name }) => name },
          { title: usage.streamed, cell: ({ streamed }) => formats.number(streamed), isNumber: true },
          {
            title: usage.inBrowser,
            cell: ({ inBrowser }) => (inBrowser === null ? "–" : formats.number(inBrowser)),
            isNumber: true,
          },
        ]}
        keyOf={({ name }) => name}
        label={usage.minutesLeft}
        rows={lines}
      />
    </>
  );
}
