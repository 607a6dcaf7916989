// The code for a site, by form and look, and a site that has exactly it.
import { type ReactElement, useState } from "react";
import { ACCENT_NAMES } from "../../../../shared/accents.ts";
import { WIDGET_THEMES } from "../../../../shared/widget-messages.ts";
import {
  EMBEDDINGS,
  type EmbeddingChoice,
  embeddingCode,
  FIRST_CHOICE,
  FRAME_STYLES,
  POSITIONS,
  takesOption,
  writeChoice,
} from "../../../shared/embedding.ts";
import { inLanguage } from "../../../shared/in-language.ts";
import { CodeExample } from "../../controls/code-example.tsx";
import { CopyButton } from "../../controls/copy-button.tsx";
import { SelectField } from "../../controls/field.tsx";
import { Panel } from "../../controls/page.tsx";
import { useConsole } from "../../data/console-context.ts";
import { useLanguage, useTexts } from "../../texts/texts-context.ts";

export function EmbeddingPanel({ code, isPublic }: { code: string; isPublic: boolean }): ReactElement {
  const { share } = useTexts();
  const { root } = useConsole();
  const { language } = useLanguage();
  const [choice, setChoice] = useState<EmbeddingChoice>({ ...FIRST_CHOICE, agentId: code });
  const change = (part: Partial<EmbeddingChoice>) => setChoice({ ...choice, ...part });
  const snippet = embeddingCode(choice, root);
  const site = new URL("preview", root);
  site.hash = writeChoice(choice);
  const preview = inLanguage(site.href, language);
  return (
    <Panel title={share.embedding}>
      <div className="choices">
        <SelectField
          choices={EMBEDDINGS.map((value) => ({ value, words: share.embeddings[value] }))}
          label={share.form}
          onChange={(embedding) => change({ embedding })}
          value={choice.embedding}
        />
        <SelectField
          choices={WIDGET_THEMES.map((value) => ({ value, words: share.themes[value] }))}
          label={share.theme}
          onChange={(theme) => change({ theme })}
          value={choice.theme}
        />
        <SelectField
          choices={ACCENT_NAMES.map((value) => ({ value, words: share.colours[value] }))}
          label={share.colour}
          onChange={(themeColor) => change({ themeColor })}
          value={choice.themeColor}
        />
        {takesOption(choice.embedding, "frameStyle") && (
          <SelectField
            choices={FRAME_STYLES.map((value) => ({ value, words: share.shapes[value] }))}
            label={share.shape}
            onChange={(frameStyle) => change({ frameStyle })}
            value={choice.frameStyle}
          />
        )}
        {takesOption(choice.embedding, "position") && (
          <SelectField
            choices={POSITIONS.map((value) => ({ value, words: share.positions[value] }))}
            label={share.position}
            onChange={(position) => change({ position })}
            value={choice.position}
          />
        )}
      </div>
      <CopyButton label={share.copyCode} text={snippet} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <pre className="code wrapped" tabIndex={0}>
        <code>{snippet}</code>
      </pre>
      <h3>{share.preview}</h3>
      {isPublic ? (
        <>
          <p className="fine">{share.previewNote}</p>
          <iframe
            allow="microphone; camera; autoplay"
            className="preview-frame"
            key={preview}
            src={preview}
            title={share.preview}
          />
        </>
      ) : (
        <>
          <p>{share.notPublic}</p>
          <CodeExample
            request={{
              method: "POST",
              path: "/v1/embed-tokens/request",
              body: { agent_id: code, fingerprint: "visitor-1" },
            }}
          />
        </>
      )}
      <p className="fine">
        {share.moreOptions} <a href={new URL("docs", root).href}>{share.reference}</a>
      </p>
    </Panel>
  );
}
