// A voice in the list.
import type { ReactElement } from "react";
import { Button } from "react-aria-components";
import type { Voice } from "../../../../sdk/client/index.ts";
import { CopyButton } from "../../controls/copy-button.tsx";
import { ViewLink } from "../../controls/view-link.tsx";
import { useLanguage, useTexts } from "../../texts/texts-context.ts";

/** Agents and languages that are named; of more, their number is. */
const NAMED = 3;

export interface VoiceRowProps {
  voice: Voice;
  isPlaying: boolean;
  isMarked: boolean;
  /** Hears it, or stops it. */
  onHear(): void;
  onMark(isMarked: boolean): void;
}

export function VoiceRow({ voice, isPlaying, isMarked, onHear, onMark }: VoiceRowProps): ReactElement {
  const { voices } = useTexts();
  const { language } = useLanguage();
  const { id, name, gender, languages, agents } = voice;
  const names = new Intl.DisplayNames(language, { type: "language" });
  const kind = gender === undefined ? "fetched" : voice.kind;
  const facts = [
    voices.kinds[kind],
    ...(gender ? [voices.genders[gender]] : []),
    languages.length > NAMED
      ? voices.languages(languages.length)
      : languages.map((code) => names.of(code) ?? code).join(", "),
  ];
  return (
    <li>
      <div>
        <span className="voice-name" dir="auto">
          {name || id}
        </span>
        <p className="fine">{facts.join(" · ")}</p>
        <p className="fine">
          <code>{id}</code>
        </p>
        {agents.length > 0 && (
          <p className="fine voice-agents">
            <span>{voices.usedBy}</span>
            {agents.slice(0, NAMED).map(({ code, name: agent }) => (
              <span dir="auto" key={code}>
                <ViewLink part={code} to="agents" words={agent || code} />
              </span>
            ))}
            {agents.length > NAMED && <span>{voices.more(agents.length - NAMED)}</span>}
          </p>
        )}
      </div>
      <div className="row voice-actions">
        <Button
          aria-label={isPlaying ? voices.stopVoice(name || id) : voices.hearVoice(name || id)}
          className={isPlaying ? "main" : undefined}
          onPress={onHear}
        >
          {isPlaying ? voices.stop : voices.hear}
        </Button>
        <label className="check">
          <input
            aria-label={voices.compareVoice(name || id)}
            checked={isMarked}
            onChange={(event) => onMark(event.target.checked)}
            type="checkbox"
          />
          <span>{voices.compare}</span>
        </label>
        <CopyButton label={voices.copyId} text={id} />
      </div>
    </li>
  );
}
