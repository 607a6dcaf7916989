// The account's films, newest first.
import { useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import type { TalkingVideo } from "../../../../sdk/client/index.ts";
import { AgentFilter, useAgentInAddress } from "../../controls/agent-filter.tsx";
import { ConfirmDialog } from "../../controls/dialog.tsx";
import { EmptyView } from "../../controls/empty-view.tsx";
import { SelectField } from "../../controls/field.tsx";
import { LoadMore } from "../../controls/load-more.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useAgents } from "../../data/agents.ts";
import { useConsole } from "../../data/console-context.ts";
import { useVideos } from "../../data/videos.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { FilmRow } from "./film-row.tsx";

const STATES = ["all", "processing", "completed", "failed"] as const;

export function FilmList(): ReactElement {
  const { films, shell } = useTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const [state, setState] = useState<(typeof STATES)[number]>("all");
  const [asked, setAsked] = useState<TalkingVideo | null>(null);
  const access = useAgentInAddress();
  const { agentCode } = access;
  const isNarrow = state !== "all" || agentCode !== "";
  const videos = useVideos({
    status: state === "all" ? undefined : state,
    agentCode: agentCode === "" ? undefined : agentCode,
  });
  const agents = useAgents({});
  const names = new Map(
    agents.data?.pages.flatMap((page) => page.agents.map(({ code, name }) => [code, name] as const)),
  );
  return (
    <>
      <div className="film-filter">
        <SelectField
          choices={STATES.map((value) => ({ value, words: films.states[value] }))}
          label={films.filter}
          onChange={(value) => setState(value)}
          value={state}
        />
        <AgentFilter access={access} />
      </div>
      <QueryResult
        empty={isNarrow ? <p className="panel">{films.noneLike}</p> : <EmptyView words={films.empty} />}
        isEmpty={({ pages }) => pages[0].pagination.total === 0}
        query={videos}
      >
        {({ pages }) => (
          <>
            <p className="fine" role="status">
              {films.count(pages[0].pagination.total)}
            </p>
            <ul className="rows panel">
              {pages.flatMap((page) =>
                page.data.map((film) => (
                  <FilmRow
                    agentName={names.get(film.agent_code) || film.agent_code}
                    film={film}
                    key={film.job_id}
                    onDelete={() => setAsked(film)}
                  />
                )),
              )}
            </ul>
            <LoadMore query={videos} />
          </>
        )}
      </QueryResult>
      <ConfirmDialog
        action={shell.delete}
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={async () => {
          if (asked) await client.videos.delete(asked.job_id);
          await Promise.all(["videos", "credits"].map((noun) => queries.invalidateQueries({ queryKey: [noun] })));
        }}
        title={shell.delete}
        words={<p>{asked?.status === "processing" ? films.deleteMaking : films.deleteWords}</p>}
      />
    </>
  );
}
