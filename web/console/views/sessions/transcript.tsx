// What was said in a session, by the time since its start. While it runs, new words arrive by themselves.
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useLayoutEffect, useRef } from "react";
import type { ConversationMessage, RuntimeSession } from "../../../../sdk/client/index.ts";
import { CopyButton } from "../../controls/copy-button.tsx";
import { Panel } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useConsole } from "../../data/console-context.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { medianSound } from "./median-sound.ts";
import { Said } from "./said.tsx";

/** Someone who has scrolled up further reads earlier words, and stays there. */
const AT_END_PX = 80;

export function Transcript({ session }: { session: RuntimeSession }): ReactElement {
  const { sessions: texts } = useTexts();
  const formats = useFormats();
  const { client, person } = useConsole();
  const { session_id: id, started_at: startedAt, status } = session;
  const query = useQuery({
    queryKey: ["messages", id],
    queryFn: async ({ signal }) => (await client.sessions.listMessages(person.user_id, id, { signal })).items,
  });
  const asText = (messages: readonly ConversationMessage[]) =>
    messages.map(({ timestamp, role, message }) => `${offset(timestamp)}\t${texts.roles[role]}\t${message}`).join("\n");
  const offset = (timestamp: string) => formats.duration((Date.parse(timestamp) - Date.parse(startedAt)) / 1000);
  return (
    <Panel
      actions={query.data && query.data.length > 0 && <CopyButton text={asText(query.data)} />}
      title={texts.transcript}
    >
      <QueryResult
        empty={<p>{session.has_conversation ? texts.nothingSaid : texts.noTranscript}</p>}
        isEmpty={(messages) => messages.length === 0}
        query={query}
      >
        {(messages) => (
          <>
            <Summary messages={messages} />
            <Messages isLive={status === "live"} messages={messages} offset={offset} />
          </>
        )}
      </QueryResult>
    </Panel>
  );
}

/** How soon the answers were heard. */
function Summary({ messages }: { messages: readonly ConversationMessage[] }): ReactElement | null {
  const { sessions: texts } = useTexts();
  const formats = useFormats();
  const { medianMs, count } = medianSound(messages);
  return medianMs === null ? null : <p className="fine">{texts.medianSound(formats.latency(medianMs), count)}</p>;
}

interface MessagesProps {
  messages: readonly ConversationMessage[];
  isLive: boolean;
  offset(timestamp: string): string;
}

function Messages({ messages, isLive, offset }: MessagesProps): ReactElement {
  const { sessions: texts } = useTexts();
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(isLive);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what is new
  useLayoutEffect(() => {
    if (isAtEnd.current && list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [messages.length]);
  return (
    <div
      aria-label={texts.transcript}
      className="transcript"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = isLive && scrollHeight - scrollTop - clientHeight < AT_END_PX;
      }}
      ref={list}
      role="log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
      tabIndex={0}
    >
      <ol>
        {messages.map((message, index) => (
          // Messages are added at the end, and have no number here.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Said key={index} message={message} offset={offset(message.timestamp)} />
        ))}
      </ol>
    </div>
  );
}
