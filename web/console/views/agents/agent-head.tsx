// What an agent looks like, how far its creation is, and where to go with it.
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import type { Agent } from "../../../../sdk/client/index.ts";
import { atOwnOrigin } from "../../../shared/at-own-origin.ts";
import { AgentStatus } from "../../controls/agent-status.tsx";
import { CopyButton } from "../../controls/copy-button.tsx";
import { Facts } from "../../controls/facts.tsx";
import { Poster } from "../../controls/poster.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { Reason } from "../../controls/reason.tsx";
import { ViewLink } from "../../controls/view-link.tsx";
import { isInCreation } from "../../data/agents.ts";
import { useConsole } from "../../data/console-context.ts";
import { useFormats, useLanguage, useTexts } from "../../texts/texts-context.ts";

export function AgentHead({ agent }: { agent: Agent }): ReactElement {
  const { agentPage } = useTexts();
  const { code, poster_url: poster, video_url: video } = agent;
  const { language } = useLanguage();
  const formats = useFormats();
  const [isMoving, setMoving] = useState(false);
  return (
    <div className="agent-head">
      <div>
        {isMoving && video ? (
          <video autoPlay className="poster" controls loop muted playsInline src={atOwnOrigin(video)} />
        ) : (
          <Poster url={poster} />
        )}
        {video && (
          <Button className="agent-move" onPress={() => setMoving(!isMoving)}>
            {isMoving ? agentPage.stand : agentPage.move}
          </Button>
        )}
      </div>
      <div>
        <Progress agent={agent} />
        {agent.supported_models.length > 0 && (
          <nav aria-label={agentPage.links} className="row agent-links">
            <ViewLink className="button main" part={code} to="talk" words={agentPage.talk} />
            <ViewLink className="button" part={code} to="share" words={agentPage.share} />
            <ViewLink className="button" search={{ agent: code }} to="films" words={agentPage.films} />
            <ViewLink className="button" search={{ agent: code }} to="sessions" words={agentPage.sessions} />
            <ViewLink className="button" search={{ agent: code }} to="usage" words={agentPage.usage} />
          </nav>
        )}
        <Facts
          facts={[
            [
              agentPage.code,
              <span className="row" key="code">
                <code>{code}</code>
                <CopyButton text={code} />
              </span>,
            ],
            [agentPage.language, nameOfLanguage(agent.language, language)],
            [agentPage.created, formats.time(agent.created_at)],
          ]}
        />
      </div>
    </div>
  );
}

/** The state in a word, what is done now, and what the person has to do. */
function Progress({ agent }: { agent: Agent }): ReactElement {
  const { agents, agentPage, service } = useTexts();
  const formats = useFormats();
  const { status, progress, progress_msg: message, current_step: step } = agent;
  const isMaking = isInCreation(agent);
  const isMarking = step === "awaiting_face_marking";
  return (
    <div className="agent-progress">
      <AgentStatus status={status} step={step} />
      {isMaking && <progress aria-label={agents.progress(formats.percent(progress))} max={1} value={progress} />}
      <p role="status">{isMaking && !isMarking ? service.progress(message) : ""}</p>
      {isMarking && <Marking code={agent.code} />}
      {status === "failed" && (
        <>
          <Reason message={agent.error_message ?? message} note={agentPage.refunded} />
          <ViewLink className="button" to="create" words={agents.create} />
        </>
      )}
    </div>
  );
}

/** Where a person places the marks of a face that was not found for sure. */
function Marking({ code }: { code: string }): ReactElement {
  const { agentPage } = useTexts();
  const { client } = useConsole();
  const marking = useQuery({
    queryKey: ["agents", code, "marks"],
    queryFn: ({ signal }) => client.faceMarks.get(code, { signal }),
  });
  return (
    <>
      <p>{agentPage.marking}</p>
      <QueryResult query={marking}>
        {({ marking_url: url }) => (
          <a className="button main" href={atOwnOrigin(url)}>
            {agentPage.mark}
          </a>
        )}
      </QueryResult>
    </>
  );
}

function nameOfLanguage(tag: string, language: string): string {
  try {
    return new Intl.DisplayNames(language, { type: "language" }).of(tag) ?? tag;
  } catch {
    // No tag of a language.
    return tag;
  }
}
