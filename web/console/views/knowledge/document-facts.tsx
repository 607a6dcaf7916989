// What a list tells about a document.
import type { ReactElement } from "react";
import type { KnowledgeFile } from "../../../../sdk/client/index.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";

export function DocumentFacts({ file }: { file: KnowledgeFile }): ReactElement {
  const { knowledge } = useTexts();
  const formats = useFormats();
  const { file_name: name, size_bytes: sizeBytes, ext, created_at: at, url, sync_freq: frequency } = file;
  return (
    <div>
      <span dir="auto">{name}</span>
      <p className="fine">{[ext.toUpperCase(), formats.bytes(sizeBytes), formats.time(at)].join(" · ")}</p>
      {url !== null && (
        <p className="fine">
          {isWebAddress(url) ? (
            <a dir="ltr" href={url} rel="noreferrer" target="_blank">
              {url}
            </a>
          ) : (
            <span dir="ltr">{url}</span>
          )}{" "}
          {knowledge.fromUrl(knowledge.syncs[frequency])}
        </p>
      )}
    </div>
  );
}

/** Of what is data, only these become links. */
function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url);
}
