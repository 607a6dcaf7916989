// The forms in which a transcription is answered. Source of fields and events: OpenAI's published API description.
import { Readable } from "node:stream";
import { isServiceError } from "../../shared/errors.ts";
import { Answer } from "../kernel/http/answer.ts";
import type { TranscribedPart } from "./transcribe.ts";

export const TRANSCRIPTION_FORMATS = ["json", "text", "verbose_json", "srt", "vtt"] as const;
export type TranscriptionFormat = (typeof TRANSCRIPTION_FORMATS)[number];

/** Digits of a time in seconds: milliseconds. */
const TIME_SCALE = 1000;
const PLAIN_TEXT = "text/plain; charset=utf-8";

/** The whole transcription. */
export function transcriptionAnswer(parts: readonly TranscribedPart[], format: TranscriptionFormat): Answer<undefined> {
  const spoken = spokenOf(parts);
  switch (format) {
    case "text":
      return textAnswer(`${textOf(parts)}\n`, PLAIN_TEXT);
    case "srt":
      return textAnswer(spoken.map((part, index) => `${index + 1}\n${cueOf(part, ",")}`).join("\n"), PLAIN_TEXT);
    case "vtt":
      return textAnswer(["WEBVTT\n", ...spoken.map((part) => cueOf(part, "."))].join("\n"), "text/vtt; charset=utf-8");
    case "verbose_json":
      return jsonAnswer({ task: "transcribe", ...bodyOf(parts), ...detailsOf(parts) });
    default:
      return jsonAnswer(bodyOf(parts));
  }
}

/** The transcription as server-sent events: a delta for each part with speech, and the whole text at the end. A failure
 *  is an event, too, after which `done` is missing. `first` has been read from `rest`, which ends with the stream. */
export function transcriptionStream(
  first: IteratorResult<TranscribedPart, void>,
  rest: AsyncGenerator<TranscribedPart, void>,
): Readable {
  async function* events(): AsyncGenerator<string> {
    const parts: TranscribedPart[] = [];
    try {
      for (let next = first; !next.done; next = await rest.next()) {
        const { text } = next.value;
        const delta = text !== "" && textOf(parts) !== "" ? ` ${text}` : text;
        parts.push(next.value);
        if (delta !== "") yield eventOf({ type: "transcript.text.delta", delta });
      }
    } catch (error) {
      const { code, message } = isServiceError(error)
        ? error
        : { code: "UPSTREAM_ERROR", message: "The recogniser failed." };
      yield eventOf({ type: "error", error: { code, message } });
      return;
    }
    yield eventOf({ type: "transcript.text.done", ...bodyOf(parts) });
  }
  const stream = Readable.from(events(), { objectMode: false });
  // A generator that was never started does not run its `finally`.
  stream.once("close", () => void rest.return());
  return stream;
}

function bodyOf(parts: readonly TranscribedPart[]): object {
  const codes = [...new Set(spokenOf(parts).map(({ language }) => language))];
  return {
    text: textOf(parts),
    languages: codes.map((code) => ({ code })),
    usage: { type: "duration", seconds: secondsOf(parts) },
  };
}

function detailsOf(parts: readonly TranscribedPart[]): object {
  const spoken = spokenOf(parts);
  return {
    language: (spoken[0] ?? parts[0])?.language ?? "",
    duration: secondsOf(parts),
    segments: spoken.map(({ startS, endS, text, meanLogProbability, noSpeech }, id) => ({
      id,
      start: rounded(startS),
      end: rounded(endS),
      text,
      temperature: 0,
      avg_logprob: meanLogProbability,
      no_speech_prob: noSpeech,
    })),
  };
}

function spokenOf(parts: readonly TranscribedPart[]): TranscribedPart[] {
  return parts.filter(({ text }) => text !== "");
}

function textOf(parts: readonly TranscribedPart[]): string {
  return spokenOf(parts)
    .map(({ text }) => text)
    .join(" ");
}

function secondsOf(parts: readonly TranscribedPart[]): number {
  return rounded(parts.at(-1)?.endS ?? 0);
}

function rounded(seconds: number): number {
  return Math.round(seconds * TIME_SCALE) / TIME_SCALE;
}

function cueOf({ startS, endS, text }: TranscribedPart, point: string): string {
  const timeOf = (seconds: number) =>
    new Date(Math.round(seconds * TIME_SCALE)).toISOString().slice(11, 23).replace(".", point);
  return `${timeOf(startS)} --> ${timeOf(endS)}\n${text}\n`;
}

function eventOf(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function jsonAnswer(value: object): Answer<undefined> {
  return textAnswer(JSON.stringify(value), "application/json; charset=utf-8");
}

function textAnswer(bytes: string, contentType: string): Answer<undefined> {
  return new Answer<undefined>({ headers: { "Content-Type": contentType }, bytes });
}
