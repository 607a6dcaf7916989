// All voices: heard, searched and compared; and a voice of one's own.
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import type { Voice } from "../../../../sdk/client/index.ts";
import { saveFile } from "../../../shared/save-file.ts";
import { CodeExample } from "../../controls/code-example.tsx";
import { SelectField, TextField } from "../../controls/field.tsx";
import { Page } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useVoices } from "../../data/voices.ts";
import { useLanguage, useTexts } from "../../texts/texts-context.ts";
import { DesignPanel } from "./design-panel.tsx";
import { useHearing } from "./use-hearing.ts";
import { VoiceRow } from "./voice-row.tsx";
import "./style.css";

const TTS_REQUEST = { method: "POST", path: "/v1/tts", body: { text: "Welcome to the museum.", voice: "F2" } } as const;
const GENDERS = ["any", "female", "male"] as const;

export default function VoicesView(): ReactElement {
  const { voices } = useTexts();
  const query = useVoices();
  return (
    <Page lead={voices.lead} title={voices.title}>
      <QueryResult query={query}>
        {(all) => (
          <>
            <VoiceList all={all} />
            <DesignPanel bases={all.filter(({ kind, gender }) => kind === "builtin" && gender !== undefined)} />
          </>
        )}
      </QueryResult>
      <CodeExample request={TTS_REQUEST} />
    </Page>
  );
}

function VoiceList({ all }: { all: readonly Voice[] }): ReactElement {
  const { voices, shell } = useTexts();
  const { language: own } = useLanguage();
  const [search, setSearch] = useState("");
  const [gender, setGender] = useState<(typeof GENDERS)[number]>("any");
  const [speaks, setSpeaks] = useState("");
  const [text, setText] = useState("");
  const [spoken, setSpoken] = useState<string>(own);
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const hearing = useHearing({ text, language: spoken });
  const languages = useLanguageNames(all);
  const shown = all.filter((voice) => {
    const isNamed = `${voice.name} ${voice.id}`.toLowerCase().includes(search.trim().toLowerCase());
    const isLike = gender === "any" || voice.gender === gender;
    return isNamed && isLike && (speaks === "" || voice.languages.includes(speaks));
  });
  const compared = shown.filter(({ id }) => marked.has(id));
  const speaker = all.find(({ id }) => id === hearing.playing);
  return (
    <>
      <section className="panel">
        <TextField
          label={voices.words}
          maxLength={5_000}
          note={voices.wordsNote}
          onChange={setText}
          rows={2}
          value={text}
        />
        {text.trim() !== "" && (
          <SelectField choices={languages} label={voices.wordsLanguage} onChange={setSpoken} value={spoken} />
        )}
        <search className="voice-filters">
          <TextField label={shell.search} maxLength={100} onChange={setSearch} type="search" value={search} />
          <SelectField
            choices={GENDERS.map((value) => ({ value, words: voices.genders[value] }))}
            label={voices.sounds}
            onChange={(value) => setGender(value)}
            value={gender}
          />
          <SelectField
            choices={[{ value: "", words: voices.anyLanguage }, ...languages]}
            label={voices.speaks}
            onChange={setSpeaks}
            value={speaks}
          />
        </search>
        <div className="row">
          {compared.length > 1 && (
            <Button className="main" onPress={() => hearing.hear(compared)}>
              {voices.hearMarked(compared.length)}
            </Button>
          )}
          {hearing.last && (
            <Button
              onPress={() => hearing.last && saveFile(hearing.last.audio, `${hearing.last.voice.id.slice(0, 40)}.wav`)}
            >
              {voices.download(nameOf(hearing.last.voice))}
            </Button>
          )}
        </div>
        <p className="fine" role="status">
          {speaker ? voices.speaking(nameOf(speaker)) : voices.shown(shown.length)}
        </p>
        <Problem error={hearing.error} />
      </section>
      <ul className="rows panel">
        {shown.map((voice) => (
          <VoiceRow
            isMarked={marked.has(voice.id)}
            isPlaying={hearing.playing === voice.id}
            key={voice.id}
            onHear={() => (hearing.playing === voice.id ? hearing.stop() : hearing.hear([voice]))}
            onMark={(isMarked) =>
              setMarked((before) => new Set([...before, voice.id].filter((id) => isMarked || id !== voice.id)))
            }
            voice={voice}
          />
        ))}
      </ul>
    </>
  );
}

function nameOf({ name, id }: Voice): string {
  return name || id;
}

/** The languages of these voices, by their names in the person's language. */
function useLanguageNames(all: readonly Voice[]): { value: string; words: string }[] {
  const { language } = useLanguage();
  const names = new Intl.DisplayNames(language, { type: "language" });
  const codes = [...new Set(all.flatMap((voice) => voice.languages))];
  const choices = codes.map((value) => ({ value, words: names.of(value) ?? value }));
  return choices.sort((a, b) => a.words.localeCompare(b.words, language));
}
