// Whether an agent is public, on which sites, and how much of it visitors get.
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import type { AgentSharing } from "../../../../sdk/client/index.ts";
import { SwitchField, TextField } from "../../controls/field.tsx";
import { Problem } from "../../controls/problem.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useTexts } from "../../texts/texts-context.ts";

/** Of the API. */
const MOST = { minutes: 1_440, sessions: 100_000 };

export function SharingForm({ code, sharing }: { code: string; sharing: AgentSharing }): ReactElement {
  const { share, shell } = useTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const [isPublic, setPublic] = useState(sharing.is_public);
  const [origins, setOrigins] = useState(sharing.origins.join("\n"));
  const [minutes, setMinutes] = useState(String(sharing.visitor_minutes_per_day));
  const [sessions, setSessions] = useState(String(sharing.sessions_per_day));
  const save = useAction(async () => {
    const saved = await client.agentSharing.replace(code, {
      is_public: isPublic,
      origins: origins.split(/\s+/).filter(Boolean),
      visitor_minutes_per_day: Number(minutes),
      sessions_per_day: Number(sessions),
    });
    queries.setQueryData(["agents", code, "sharing"], saved);
    // As the service writes them.
    setOrigins(saved.origins.join("\n"));
  });
  const problemOf = (text: string, most: number) =>
    /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= most ? undefined : share.between(1, most);
  const problems = [problemOf(minutes, MOST.minutes), problemOf(sessions, MOST.sessions)];
  const isValid = problems.every((problem) => problem === undefined);
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isValid) void save.run();
  }
  return (
    <form onSubmit={submit}>
      <SwitchField isOn={isPublic} label={share.isPublic} note={share.isPublicNote} onChange={setPublic} />
      <TextField
        label={share.origins}
        note={share.originsNote}
        onChange={setOrigins}
        placeholder="https://shop.example"
        rows={3}
        value={origins}
      />
      <TextField
        inputMode="numeric"
        label={share.minutes}
        note={share.minutesNote}
        onChange={setMinutes}
        problem={problems[0]}
        value={minutes}
      />
      <TextField
        inputMode="numeric"
        label={share.sessions}
        note={share.sessionsNote}
        onChange={setSessions}
        problem={problems[1]}
        value={sessions}
      />
      <Problem error={save.error} />
      <div className="row">
        <Button className="main" isDisabled={save.isBusy || !isValid} type="submit">
          {shell.save}
        </Button>
        <span className="fine" role="status">
          {save.isDone ? shell.saved : ""}
        </span>
      </div>
    </form>
  );
}
