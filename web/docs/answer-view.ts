// What the service answered to a request that was tried.
import { element } from "../shared/element.ts";
import type { ReceivedAnswer } from "./try-request.ts";

const MOST_SHOWN_CHARACTERS = 100_000;
const FILE_NAMES: Readonly<Record<string, string>> = { "audio/wav": "answer.wav", "application/zip": "answer.zip" };

/** The element to show. Files become a link, sound a player; both hold memory until `release` is called. */
export function answerView(answer: ReceivedAnswer): { element: HTMLElement; release(): void } {
  const { status, durationMs, headers, bytes, text, isCut } = answer;
  const kind = status < 400 ? "ok" : "refused";
  const status_ = element(
    "p",
    { className: "answer-status" },
    element("strong", { className: kind }, String(status)),
    ` in ${durationMs.toLocaleString("en")} ms, ${sizeOf(bytes.byteLength)}`,
  );
  const list = headers.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]);
  const { content, release } = text === undefined ? fileView(answer) : textView(answer);
  return {
    element: element(
      "div",
      { className: "answer" },
      status_,
      list.length > 0 && element("dl", { className: "answer-headers" }, ...list),
      isCut && element("p", { className: "note" }, "The answer is longer; this is its beginning."),
      content,
    ),
    release,
  };
}

function textView({ text = "", json }: ReceivedAnswer): { content: HTMLElement | undefined; release(): void } {
  const shown = json === undefined ? text : JSON.stringify(json, null, 2);
  const pre = element(
    "pre",
    { tabIndex: 0, className: "code", role: "group", ariaLabel: "Answer" },
    element("code", {}, shown.slice(0, MOST_SHOWN_CHARACTERS)),
  );
  return { content: shown === "" ? undefined : pre, release: () => undefined };
}

function fileView({ bytes, contentType }: ReceivedAnswer): { content: HTMLElement; release(): void } {
  const [type] = contentType.split(";");
  const url = URL.createObjectURL(new Blob([bytes], { type }));
  const download = FILE_NAMES[type] ?? "answer.bin";
  const isSound = type === "audio/wav" || type === "audio/mpeg";
  const content = element(
    "p",
    { className: "answer-file" },
    isSound && element("audio", { controls: true, src: url, ariaLabel: "The answer" }),
    element("a", { href: url, download }, `Save ${download}`),
  );
  return { content, release: () => URL.revokeObjectURL(url) };
}

function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
