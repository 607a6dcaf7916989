// A state in a word, with a colour that never speaks alone.
import type { ReactElement } from "react";

export type Tone = "good" | "busy" | "wrong" | "quiet";

export function Badge({ tone, words }: { tone: Tone; words: string }): ReactElement {
  return <span className={`badge ${tone}`}>{words}</span>;
}
