// What all secrets of an account may do together, by its plan.
import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { Facts } from "../../controls/facts.tsx";
import { Panel } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useConsole } from "../../data/console-context.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";

export function PlanLimits({ plan }: { plan: string }): ReactElement {
  const { secrets: texts, shell } = useTexts();
  const formats = useFormats();
  const { client, root } = useConsole();
  const profile = useQuery({ queryKey: ["credits", "profile"], queryFn: () => client.accounts.me() });
  const count = (limit: number | null) => (limit === null ? texts.unlimited : formats.number(limit));
  return (
    <Panel title={texts.limits}>
      <p>{texts.limitsNote}</p>
      <QueryResult query={profile}>
        {({ limits, runtime_suspended: isSuspended }) => (
          <>
            {isSuspended && <p className="wrong">{texts.suspended}</p>}
            <Facts
              facts={[
                [
                  texts.plan,
                  <a href={new URL("account/plan", root).href} key="plan" title={shell.changePlan}>
                    {plan}
                  </a>,
                ],
                [texts.readRequests, texts.perMinute(formats.number(limits.read_requests_per_minute))],
                [texts.writeRequests, texts.perMinute(formats.number(limits.write_requests_per_minute))],
                [texts.generateRequests, texts.perMinute(formats.number(limits.generate_requests_per_minute))],
                [texts.concurrent, count(limits.concurrent_sessions)],
                [texts.agents, count(limits.agents)],
              ]}
            />
          </>
        )}
      </QueryResult>
    </Panel>
  );
}
