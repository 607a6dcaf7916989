// Subtitles of a film as a WebVTT file.
import type { SpokenPhrase } from "./film-speech.ts";

/** Longest cue: two lines of 42 characters, which is what broadcasters show at a time. */
const MAX_CUE_CHARACTERS = 84;

/** The file. Long phrases become several cues, each for a share of the time that follows from its length. */
export function writeWebVtt(phrases: readonly SpokenPhrase[]): string {
  const cues = phrases.flatMap(cutPhrase).map(({ text, startMs, endMs }) => {
    return `${timeOf(startMs)} --> ${timeOf(endMs)}\n${escaped(text)}\n`;
  });
  return ["WEBVTT\n", ...cues].join("\n");
}

function cutPhrase({ text, startMs, endMs }: SpokenPhrase): SpokenPhrase[] {
  const lines = linesOf(text);
  const characters = lines.reduce((sum, line) => sum + line.length, 0);
  let before = 0;
  return lines.map((line) => {
    const timeAt = (count: number) => startMs + ((endMs - startMs) * count) / characters;
    const cue = { text: line, startMs: timeAt(before), endMs: timeAt(before + line.length) };
    before += line.length;
    return cue;
  });
}

/** Words in order, in lines of about equal length, none over the limit unless it is one word. */
function linesOf(text: string): string[] {
  const words = text.split(/\s+/).filter(Boolean);
  const aimed = text.length / Math.ceil(text.length / MAX_CUE_CHARACTERS);
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const isFull = last === undefined || last.length >= aimed || last.length + 1 + word.length > MAX_CUE_CHARACTERS;
    if (isFull) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** `hh:mm:ss.ttt` */
function timeOf(ms: number): string {
  return new Date(Math.round(ms)).toISOString().slice(11, 23);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
