// Plays files of the person's own computer: faces, films, and recordings, which a face says. Nothing is uploaded.
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useEffect, useRef, useState } from "react";
import { Button, DropZone, FileTrigger } from "react-aria-components";
import { isEngineError } from "../../../../shared/engine-error.ts";
import { MEMBER } from "../../../../src/face/imx/imx.ts";
import { parseManifest } from "../../../../src/face/imx/manifest.ts";
import { readImxMember } from "../../../../src/face/imx/read-imx-member.ts";
import { fetchSampleFaces } from "../../../shared/sample-faces.ts";
import { Facts } from "../../controls/facts.tsx";
import { SelectField } from "../../controls/field.tsx";
import { Page, Panel } from "../../controls/page.tsx";
import { useConsole } from "../../data/console-context.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { type FileKind, fileKind, HEAD_BYTES } from "./file-kind.ts";
import { MediaPlayer } from "./media-player.tsx";
import { usePlayerFace } from "./use-player-face.ts";
import "../../../shared/stage/stage.css";
import "./style.css";

/** Larger ones fill the tab's memory: faces and recordings are read whole, films are not. */
const MOST_BYTES: Readonly<Record<FileKind, number>> = { face: 64 * 2 ** 20, recording: 200e6, film: 4e9 };
/** No sample: the face of a file. */
const OWN = "own";

interface OpenedFile {
  kind: FileKind;
  name: string;
  /** Of a film or recording. */
  url: string | undefined;
  facts: readonly (readonly [string, string])[];
}

export default function PlayerView(): ReactElement {
  const { player } = useTexts();
  const formats = useFormats();
  const { root } = useConsole();
  const host = useRef<HTMLDivElement>(null);
  const face = usePlayerFace(host);
  const [file, setFile] = useState<OpenedFile>();
  const [problem, setProblem] = useState("");
  const [chosen, setChosen] = useState("");
  /** Of the face that was dropped last. */
  const [ownName, setOwnName] = useState("");
  /** What was dropped later wins. */
  const turn = useRef(0);
  const samples = useQuery({ queryKey: ["samples", "faces"], queryFn: () => fetchSampleFaces(root) });
  const url = file?.url;
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url]);

  async function open(given: File): Promise<void> {
    turn.current += 1;
    const own = turn.current;
    const isStale = () => own !== turn.current;
    setProblem("");
    const bytes = formats.bytes(given.size);
    try {
      const kind = fileKind(new Uint8Array(await given.slice(0, HEAD_BYTES).arrayBuffer()), given.type);
      if (given.size === 0) return setProblem(player.empty(given.name));
      if (!kind) return setProblem(player.foreign(given.name));
      if (given.size > MOST_BYTES[kind]) return setProblem(player.huge(given.name, formats.bytes(MOST_BYTES[kind])));
      const common = { kind, name: given.name };
      const facts = [
        [player.file, given.name],
        [player.size, bytes],
      ] as const;
      if (kind === "film") {
        face.stop();
        setFile({ ...common, url: URL.createObjectURL(given), facts });
        return;
      }
      const buffer = await given.arrayBuffer();
      if (isStale()) return;
      if (kind === "face") {
        const bundle = new Uint8Array(buffer);
        await face.openBundle(given.name.replace(/\.imx$/i, ""), bundle);
        if (isStale()) return;
        setChosen(OWN);
        setOwnName(given.name);
        setFile({ ...common, url: undefined, facts: [...facts, ...(await factsOf(bundle))] });
        return;
      }
      setFile({ ...common, url: URL.createObjectURL(given), facts });
      // A tab that has no face yet takes the first.
      const [first] = samples.data ?? [];
      if (!face.isOpen && first) await openSample(first.id);
      await face.say(buffer, given.name);
    } catch (error) {
      if (isStale()) return;
      setProblem(wordsOf(error, given.name));
    }
  }

  async function openSample(id: string): Promise<void> {
    const sample = samples.data?.find((one) => one.id === id);
    if (!sample) return;
    setProblem("");
    setChosen(id);
    try {
      await face.openSample(sample);
      face.again();
    } catch (error) {
      setProblem(wordsOf(error, sample.name));
    }
  }

  async function factsOf(bundle: Uint8Array): Promise<(readonly [string, string])[]> {
    const read = async (start: number, end: number) => bundle.subarray(start, end);
    const manifest = parseManifest(await readImxMember(MEMBER.manifest, bundle.length, read));
    const { canvas, family, gestures, generator, createdAt } = manifest;
    return [
      [player.model, family],
      [player.picture, `${formats.number(canvas.widthPx)} × ${formats.number(canvas.heightPx)} px`],
      [player.gestures, gestures.length === 0 ? player.none : gestures.join(", ")],
      [player.madeBy, `${generator.name} ${generator.version}`],
      [player.made, formats.time(createdAt)],
    ];
  }

  function wordsOf(error: unknown, name: string): string {
    if (isEngineError(error) && error.code === "bundle-invalid") return player.damaged(name, error.message);
    if (error instanceof DOMException && error.name === "EncodingError") return player.unreadable(name);
    if (error instanceof DOMException && error.name === "NotReadableError") return player.gone(name);
    return player.failed(name, error instanceof Error ? error.message : "");
  }

  const isFaceShown = file?.kind !== "film";
  return (
    <Page lead={player.lead} title={player.title}>
      <DropZone
        aria-label={player.drop}
        className="panel drop"
        onDrop={({ items }) => {
          const dropped = items.find((item) => item.kind === "file");
          if (dropped?.kind === "file") void dropped.getFile().then(open);
        }}
      >
        <p>{player.drop}</p>
        <FileTrigger
          acceptedFileTypes={[".imx", "video/*", "audio/*"]}
          onSelect={(list) => {
            const [selected] = list ?? [];
            if (selected) void open(selected);
          }}
        >
          <Button className="main">{player.choose}</Button>
        </FileTrigger>
        <p className="fine">{player.private}</p>
      </DropZone>
      <div aria-live="assertive">
        {problem && <p className="panel wrong">{problem}</p>}
        {face.hasFailed && <p className="panel wrong">{player.stopped}</p>}
      </div>
      {file?.url !== undefined && (
        <Panel title={file.name}>
          <MediaPlayer
            facts={file.facts}
            key={file.url}
            kind={file.kind === "film" ? "film" : "recording"}
            name={file.name}
            onProblem={() => setProblem(player.unreadable(file.name))}
            url={file.url}
          />
        </Panel>
      )}
      <div hidden={!isFaceShown}>
        <Panel title={player.face}>
          <SelectField
            choices={[
              ...(chosen === "" ? [{ value: "", words: player.chooseFace }] : []),
              ...(chosen === OWN ? [{ value: OWN, words: ownName }] : []),
              ...(samples.data ?? []).map(({ id, name }) => ({ value: id, words: name })),
            ]}
            label={player.speaker}
            note={player.speakerNote}
            onChange={(id) => void openSample(id)}
            value={chosen}
          />
          <div className="player-stage" ref={host} />
          <div className="row">
            <Button isDisabled={!face.isOpen || file?.kind !== "recording"} onPress={face.again}>
              {player.again}
            </Button>
            <Button isDisabled={!face.isOpen} onPress={face.stop}>
              {player.stop}
            </Button>
          </div>
          {file?.kind === "face" && <Facts facts={file.facts} />}
        </Panel>
      </div>
    </Page>
  );
}
