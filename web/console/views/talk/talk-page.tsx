// The embed page in a frame, with what it measures and what the service knows of the conversation.
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useRef, useState } from "react";
import { Button } from "react-aria-components";
import { inLanguage } from "../../../shared/in-language.ts";
import { Facts } from "../../controls/facts.tsx";
import { SelectField } from "../../controls/field.tsx";
import { Page, Panel } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useAgent } from "../../data/agents.ts";
import { useConsole } from "../../data/console-context.ts";
import { useFormats, useLanguage, useTexts } from "../../texts/texts-context.ts";
import { EndNotice } from "./end-notice.tsx";
import { TurnList } from "./turn-list.tsx";
import { type TalkState, useTalkMeasures } from "./use-talk-measures.ts";
import { useTurns } from "./use-turns.ts";

const RENDERINGS = ["stream", "local"] as const;

export function TalkPage({ code }: { code: string }): ReactElement {
  const { talk } = useTexts();
  const agent = useAgent(code);
  const [rendering, setRendering] = useState<(typeof RENDERINGS)[number]>("stream");
  /** Each conversation has a token and a room of its own. */
  const [round, setRound] = useState(1);
  return (
    <Page back="/" title={agent.data?.name || code}>
      <SelectField
        choices={RENDERINGS.map((value) => ({ value, words: talk.renderings[value] }))}
        label={talk.rendering}
        note={talk.renderingNote}
        onChange={(value) => setRendering(value)}
        value={rendering}
      />
      <Conversation
        again={() => setRound(round + 1)}
        code={code}
        key={`${round} ${rendering}`}
        name={agent.data?.name || code}
        rendering={rendering}
        round={`${round} ${rendering}`}
      />
    </Page>
  );
}

interface ConversationProps {
  code: string;
  name: string;
  rendering: string;
  round: string;
  /** Begins another one. */
  again(): void;
}

function Conversation({ code, name, rendering, round, again }: ConversationProps): ReactElement {
  const { talk } = useTexts();
  const { client, root } = useConsole();
  // The page of a conversation that goes on is not loaded again for another one.
  const [language] = useState(useLanguage().language);
  const frame = useRef<HTMLIFrameElement>(null);
  const state = useTalkMeasures(frame);
  const turns = useTurns(state);
  const token = useQuery({
    queryKey: ["talk", code, round],
    queryFn: async ({ signal }) =>
      (await client.embedTokens.create({ agent_id: code, fingerprint: visitorId() }, { signal })).token,
    // One token is one conversation, which another one would end.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnMount: false,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  });
  const { ended } = state;
  const isClosed = ended?.topupUrl !== undefined;
  return (
    <>
      <QueryResult query={token}>
        {(value) =>
          isClosed ? null : (
            <iframe
              allow="microphone; camera; autoplay"
              className="talk-frame"
              ref={frame}
              src={inLanguage(pageOf(root, { code, rendering, token: value }), language)}
              title={talk.frame(name)}
            />
          )
        }
      </QueryResult>
      <div aria-live="polite">{ended && <EndNotice again={again} end={ended} />}</div>
      {!ended && state.start && (
        <p>
          <Button onPress={again}>{talk.fresh}</Button>
        </p>
      )}
      <StartFacts state={state} />
      <Panel title={talk.turns}>
        <TurnList problem={turns.error} retry={turns.retry} rows={turns.rows} />
      </Panel>
    </>
  );
}

function StartFacts({ state: { start, delayMs } }: { state: TalkState }): ReactElement {
  const { talk } = useTexts();
  const { latency } = useFormats();
  const orNone = (ms: number | undefined) => (ms === undefined ? talk.notYet : latency(ms));
  return (
    <Panel title={talk.latencies}>
      <Facts
        facts={[
          [talk.sessionMs, orNone(start?.sessionMs)],
          [talk.joinMs, orNone(start?.joinMs)],
          [talk.frameMs, orNone(start?.frameMs)],
          [talk.delayMs, orNone(delayMs)],
        ]}
      />
      <p className="fine">{talk.latenciesNote}</p>
    </Panel>
  );
}

/** A visitor of this conversation alone: another one does not go on with it, nor remember it. */
function visitorId(): string {
  return `console-${crypto.getRandomValues(new Uint32Array(4)).join("-")}`;
}

function pageOf(root: URL, { code, rendering, token }: { code: string; rendering: string; token: string }): string {
  const page = new URL(`embed/${encodeURIComponent(code)}`, root);
  page.searchParams.set("render", rendering);
  // In the fragment, it reaches no server.
  page.hash = `token=${encodeURIComponent(token)}`;
  return page.href;
}
