// Orders a film: an agent, what it says, and the film's size, with the price before.
import { useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button, FileTrigger, Form } from "react-aria-components";
import { AgentField } from "../../controls/agent-picker.tsx";
import { SelectField, TextField } from "../../controls/field.tsx";
import { Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { useAction } from "../../controls/use-action.ts";
import { ViewLink } from "../../controls/view-link.tsx";
import { VoicePicker } from "../../controls/voice-picker.tsx";
import { useAgent } from "../../data/agents.ts";
import { useConsole } from "../../data/console-context.ts";
import { fileAsJson } from "../../data/file-as-json.ts";
import { usePricing } from "../../data/prices.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { filmModels, isSize, normalSize, SHAPES, type Shape } from "./film-order.ts";
import { FilmPrice } from "./film-price.tsx";

const MAX_RECORDING_BYTES = 100_000_000;
type Kind = "text" | "audio";

export function FilmForm(): ReactElement {
  const { films } = useTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const [code, setCode] = useState<string | null>(null);
  const [kind, setKind] = useState<Kind>("text");
  const [text, setText] = useState("");
  const [voice, setVoice] = useState("");
  const [recording, setRecording] = useState<File | null>(null);
  const [wantedModel, setModel] = useState("");
  const [shape, setShape] = useState<Shape>("agent");
  const [size, setSize] = useState("");
  const agent = useAgent(code);
  const pricing = usePricing();
  const models = filmModels(agent.data, pricing.data);
  const model = models.find(({ name }) => name === wantedModel) ?? models[0];
  const isTooLarge = recording !== null && recording.size > MAX_RECORDING_BYTES;
  const ownSize = normalSize(size);
  const hasContent = kind === "text" ? text.trim() !== "" : recording !== null && !isTooLarge;
  const isReady = code !== null && model !== undefined && hasContent && (shape !== "own" || isSize(ownSize));

  const order = useAction(async () => {
    if (code === null || !model) return;
    const resolution = shape === "own" ? ownSize : shape;
    await client.videos.create({
      agent_code: code,
      model: model.name,
      input: kind === "text" ? { type: "text", text, voice: voice || null } : await upload(recording),
      ...(resolution !== "agent" && { resolution }),
    });
    await Promise.all(["videos", "credits"].map((noun) => queries.invalidateQueries({ queryKey: [noun] })));
  });

  async function upload(file: File | null): Promise<{ type: "audio"; audio_url: string }> {
    if (!file) throw new TypeError("no recording was chosen");
    const sent = await client.files.upload({
      file_data: await fileAsJson(file),
      file_name: file.name,
      file_type: "audio",
    });
    return { type: "audio", audio_url: sent.file_url };
  }

  return (
    <Panel title={films.make}>
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void order.run();
        }}
      >
        <AgentField code={code} label={films.agent} onChange={setCode} status="ready" />
        <p className="fine">
          {films.fromPicture} <ViewLink to="create" words={films.toCreate} />
        </p>
        <SelectField
          choices={(["text", "audio"] as const).map((value) => ({ value, words: films.kinds[value] }))}
          label={films.says}
          onChange={(value) => setKind(value)}
          value={kind}
        />
        {kind === "text" ? (
          <>
            <TextField
              label={films.text}
              maxLength={5_000}
              note={films.textNote}
              onChange={setText}
              rows={4}
              value={text}
            />
            <details className="film-voice">
              <summary>
                {films.voice}: {voice === "" ? films.ownVoice : films.otherVoice}
              </summary>
              {voice !== "" && <Button onPress={() => setVoice("")}>{films.ownVoice}</Button>}
              <VoicePicker label={films.voice} onChange={setVoice} value={voice} />
            </details>
          </>
        ) : (
          <Recording isTooLarge={isTooLarge} onChange={setRecording} recording={recording} />
        )}
        <div className="film-fields">
          {models.length > 0 && (
            <SelectField
              choices={models.map(({ name }) => ({ value: name, words: name }))}
              label={films.model}
              onChange={setModel}
              value={model.name}
            />
          )}
          <SelectField
            choices={SHAPES.map((value) => ({ value, words: films.shapes[value] }))}
            label={films.shape}
            note={films.background}
            onChange={(value) => setShape(value)}
            value={shape}
          />
          {shape === "own" && (
            <TextField
              label={films.size}
              maxLength={15}
              note={films.sizeNote}
              onChange={setSize}
              placeholder="1280x720"
              problem={size !== "" && !isSize(ownSize) ? films.sizeNote : undefined}
              value={size}
            />
          )}
        </div>
        {model && <FilmPrice rate={model.rate} />}
        <Problem error={agent.error ?? pricing.error ?? order.error} />
        <div className="row">
          <Button className="main" isDisabled={!isReady || order.isBusy} type="submit">
            {order.isBusy ? films.making : films.submit}
          </Button>
          <span className="fine" role="status">
            {order.isDone && films.ordered}
          </span>
        </div>
      </Form>
    </Panel>
  );
}

function Recording(props: {
  recording: File | null;
  isTooLarge: boolean;
  onChange(file: File | null): void;
}): ReactElement {
  const { recording, isTooLarge, onChange } = props;
  const { films } = useTexts();
  const formats = useFormats();
  return (
    <div className="field">
      <FileTrigger acceptedFileTypes={["audio/*"]} onSelect={(files) => onChange(files?.[0] ?? null)}>
        <Button>{films.chooseRecording}</Button>
      </FileTrigger>
      <span className="fine">{films.recordingNote}</span>
      {recording && (
        <span dir="auto" role="status">
          {recording.name}, {formats.bytes(recording.size)}
        </span>
      )}
      {isTooLarge && <span className="wrong">{films.recordingTooLarge}</span>}
    </div>
  );
}
