// Chooses a voice, which is heard before it is saved: each press on a voice lets it speak.
import type { ReactElement } from "react";
import { Radio, RadioGroup } from "react-aria-components";
import type { Voice } from "../../../sdk/client/index.ts";
import { isDesigned, useVoicePreview, useVoices } from "../data/voices.ts";
import { useTexts } from "../texts/texts-context.ts";
import "./voice-picker.css";
import { Problem } from "./problem.tsx";
import { QueryResult } from "./query-result.tsx";
import { useSound } from "./use-sound.ts";

export interface VoicePickerProps {
  label: string;
  /** Id of the chosen voice; empty for none. */
  value: string;
  onChange(id: string): void;
  /** Of these voices only. Default: all. */
  isOffered?(voice: Voice): boolean;
  isDisabled?: boolean;
}

/** Radio buttons: arrow keys choose, and let the voice be heard. Escape is silence. */
export function VoicePicker({ label, value, onChange, isOffered, isDisabled }: VoicePickerProps): ReactElement {
  const { voicePicker } = useTexts();
  const voices = useVoices();
  const preview = useVoicePreview();
  const sound = useSound();
  const hear = (id: string) => sound.play(id, (signal) => preview(id, signal));
  return (
    <QueryResult query={voices}>
      {(all) => (
        <>
          <RadioGroup
            aria-label={label}
            className="voices"
            isDisabled={isDisabled}
            onChange={(id) => {
              onChange(id);
              hear(id);
            }}
            value={value}
          >
            {withCurrent(all.filter(isOffered ?? (() => true)), value).map((voice) => (
              <Radio
                className="voice"
                data-playing={sound.playing === voice.id || undefined}
                key={voice.id}
                // A press on the chosen one lets it be heard again.
                onPress={() => voice.id === value && hear(voice.id)}
                value={voice.id}
              >
                <span aria-hidden="true" className="voice-sign" />
                <span className="voice-words">
                  <span dir="auto">{voice.name || voicePicker.own}</span>
                  <span className="fine">{kindOf(voice, voicePicker)}</span>
                </span>
              </Radio>
            ))}
          </RadioGroup>
          <p className="fine" role="status">
            {sound.playing === null ? voicePicker.note : voicePicker.playing}
          </p>
          <Problem error={sound.error} />
        </>
      )}
    </QueryResult>
  );
}

/** The chosen voice is shown even if it is not among the offered ones. */
function withCurrent(voices: readonly Voice[], id: string): readonly Voice[] {
  if (id === "" || voices.some((voice) => voice.id === id)) return voices;
  return [
    { id, kind: isDesigned(id) ? "custom" : "builtin", name: isDesigned(id) ? "" : id, languages: [], agents: [] },
    ...voices,
  ];
}

interface KindWords {
  designed: string;
  female: string;
  male: string;
  fetched: string;
}

function kindOf({ id, gender }: Voice, words: KindWords): string {
  if (isDesigned(id)) return words.designed;
  if (gender === undefined) return words.fetched;
  return gender === "female" ? words.female : words.male;
}
