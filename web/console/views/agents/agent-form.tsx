// What can be changed of an agent, and the bar that saves it.
import { useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useRef } from "react";
import { Button } from "react-aria-components";
import { type Agent, ApiError } from "../../../../sdk/client/index.ts";
import { CodeExample } from "../../controls/code-example.tsx";
import { TextField } from "../../controls/field.tsx";
import { Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { useAction } from "../../controls/use-action.ts";
import { VoicePicker } from "../../controls/voice-picker.tsx";
import { useConsole } from "../../data/console-context.ts";
import { isDesigned } from "../../data/voices.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { type AgentField, fieldsOf, refusedField, toUpdate } from "./agent-edit.ts";
import { KnowledgePanel } from "./knowledge-panel.tsx";
import { ProvidersPanel } from "./providers-panel.tsx";
import { useAgentEdit } from "./use-agent-edit.ts";

const MAX_NAME_CHARACTERS = 60;
const MAX_PROMPT_CHARACTERS = 20_000;
const MAX_GREETING_CHARACTERS = 240;

export function AgentForm({ agent }: { agent: Agent }): ReactElement {
  const { agentPage } = useTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const { edit, change, discard } = useAgentEdit(agent);
  const said = useRef<HTMLParagraphElement>(null);
  const fields = { ...fieldsOf(agent), ...edit };
  const changed = Object.keys(edit) as AgentField[];
  const save = useAction(async () => {
    await client.agents.update(agent.code, toUpdate(edit));
    await queries.invalidateQueries({ queryKey: ["agents"] });
    discard();
    // The buttons go.
    said.current?.focus();
  });
  const refused = refusedField(save.error);
  const problemAt = (field: AgentField) =>
    refused === field && save.error instanceof ApiError ? save.error.message : undefined;
  const isEmpty = fields.system_prompt.trim() === "";
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (changed.length > 0 && !isEmpty) void save.run();
      }}
    >
      <Panel title={agentPage.character}>
        <TextField
          autoComplete="off"
          label={agentPage.fields.name}
          maxLength={MAX_NAME_CHARACTERS}
          onChange={(name) => change({ name })}
          problem={problemAt("name")}
          value={fields.name}
        />
        <TextField
          label={agentPage.fields.system_prompt}
          maxLength={MAX_PROMPT_CHARACTERS}
          note={agentPage.promptNote}
          onChange={(system_prompt) => change({ system_prompt })}
          problem={isEmpty ? agentPage.promptEmpty : problemAt("system_prompt")}
          rows={8}
          value={fields.system_prompt}
        />
        <TextField
          label={agentPage.fields.greeting}
          maxLength={MAX_GREETING_CHARACTERS}
          note={agentPage.greetingNote}
          onChange={(greeting) => change({ greeting })}
          problem={problemAt("greeting")}
          rows={2}
          value={fields.greeting}
        />
      </Panel>
      <Panel title={agentPage.fields.voice}>
        <VoicePicker
          isOffered={({ id, gender }) => isDesigned(id) || gender !== undefined}
          label={agentPage.fields.voice}
          onChange={(voice) => change({ voice })}
          value={fields.voice}
        />
        <FieldProblem words={problemAt("voice")} />
      </Panel>
      <ProvidersPanel agent={agent} fields={fields} onChange={change} problemAt={problemAt} />
      <KnowledgePanel ids={fields.kb_ids} onChange={(kb_ids) => change({ kb_ids })} problem={problemAt("kb_ids")} />
      <div className="agent-save" data-changed={changed.length > 0 || undefined}>
        <p className="fine" ref={said} role="status" tabIndex={-1}>
          {changed.length > 0
            ? agentPage.changed(changed.map((field) => agentPage.fields[field]))
            : save.isDone && agentPage.saved}
        </p>
        {changed.length > 0 && (
          <>
            {refused === undefined ? (
              <Problem error={save.error} />
            ) : (
              <p className="wrong" role="alert">
                {agentPage.refused(agentPage.fields[refused])}
              </p>
            )}
            <div className="row">
              <Button className="main" isDisabled={save.isBusy || isEmpty} type="submit">
                {agentPage.save}
              </Button>
              <Button isDisabled={save.isBusy} onPress={discard}>
                {agentPage.discard}
              </Button>
            </div>
            <CodeExample request={{ method: "POST", path: `/v1/agent/${agent.code}`, body: { ...toUpdate(edit) } }} />
          </>
        )}
      </div>
    </form>
  );
}

function FieldProblem({ words }: { words: string | undefined }): ReactElement | null {
  return words === undefined ? null : <p className="wrong fine">{words}</p>;
}
