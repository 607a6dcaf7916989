// Changes a voice of the service along its axes, lets it be heard, and gives the code that stands for it.
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import type { Voice, VoiceAxis } from "../../../../sdk/client/index.ts";
import { saveFile } from "../../../shared/save-file.ts";
import { CopyButton } from "../../controls/copy-button.tsx";
import { SelectField, TextField } from "../../controls/field.tsx";
import { Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useSound } from "../../controls/use-sound.ts";
import { useConsole } from "../../data/console-context.ts";
import { useFormats, useLanguage, useTexts } from "../../texts/texts-context.ts";

const STEP = 0.05;
const DESIGNED = "designed";
type Axes = Partial<Record<VoiceAxis["name"], number>>;

export function DesignPanel({ bases }: { bases: readonly Voice[] }): ReactElement | null {
  const { voices } = useTexts();
  const { client } = useConsole();
  const query = useQuery({
    queryKey: ["voice-axes"],
    queryFn: async ({ signal }) => (await client.studio.axes({ signal })).items,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (bases.length === 0) return null;
  return (
    <Panel title={voices.design}>
      <p className="fine">{voices.designNote}</p>
      <QueryResult query={query}>{(axes) => <Designer axes={axes} bases={bases} />}</QueryResult>
    </Panel>
  );
}

function Designer({ axes, bases }: { axes: readonly VoiceAxis[]; bases: readonly Voice[] }): ReactElement {
  const { voices } = useTexts();
  const { language } = useLanguage();
  const { client } = useConsole();
  const sound = useSound();
  const [base, setBase] = useState(bases[0].id);
  const [set, setSet] = useState<Axes>({});
  const [text, setText] = useState("");
  const [made, setMade] = useState<{ code: string; audio: Blob } | null>(null);
  // A code stands for the settings with which it was heard.
  const change = (apply: () => void) => {
    apply();
    setMade(null);
  };
  const hear = () =>
    sound.play(DESIGNED, async (signal) => {
      const body = { text: text.trim() || OWN_LINE[language], base_voice: base, axes: set, language };
      const response = await client.studio.preview(body, { signal });
      const audio = await response.blob();
      setMade({ code: response.headers.get("x-voice-code") ?? "", audio });
      return audio;
    });
  return (
    <>
      <SelectField
        choices={bases.map(({ id, name }) => ({ value: id, words: name || id }))}
        label={voices.base}
        onChange={(id) => change(() => setBase(id))}
        value={base}
      />
      <div className="voice-axes">
        {axes.map((axis) => (
          <Axis
            axis={axis}
            key={axis.name}
            onChange={(value) => change(() => setSet((before) => ({ ...before, [axis.name]: value })))}
            value={set[axis.name] ?? 0}
          />
        ))}
      </div>
      <TextField label={voices.words} maxLength={5_000} onChange={setText} value={text} />
      <div className="row">
        <Button className="main" onPress={() => (sound.playing === null ? hear() : sound.stop())}>
          {sound.playing === null ? voices.hearDesigned : voices.stop}
        </Button>
        <Button onPress={() => change(() => setSet({}))}>{voices.reset}</Button>
      </div>
      <Problem error={sound.error} />
      <div className="designed-voice" role="status">
        {made && (
          <>
            <p>
              {voices.code}: <code>{made.code}</code>
            </p>
            <div className="row">
              <CopyButton label={voices.copyCode} text={made.code} />
              <Button onPress={() => saveFile(made.audio, "voice.wav")}>{voices.download(voices.designed)}</Button>
            </div>
          </>
        )}
      </div>
    </>
  );
}

/** Said where no words are given. */
const OWN_LINE = {
  en: "Hello. This is how I sound.",
  de: "Guten Tag. So klinge ich.",
  es: "Hola. Así sueno yo.",
} as const;

function Axis(props: { axis: VoiceAxis; value: number; onChange(value: number): void }): ReactElement {
  const { axis, value, onChange } = props;
  const { voices } = useTexts();
  const formats = useFormats();
  const { name, suggested_min: min, suggested_max: max } = axis;
  return (
    <label className="field">
      <span>
        {voices.axes[name]} <span className="fine">{formats.number(value)}</span>
      </span>
      <input
        max={max}
        min={min}
        onChange={(event) => onChange(event.target.valueAsNumber)}
        step={STEP}
        type="range"
        value={value}
      />
    </label>
  );
}
