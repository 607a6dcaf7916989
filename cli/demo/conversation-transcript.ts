// The transcript of a recorded conversation, in Markdown.
import type { RecordedTurn } from "./record-conversation.ts";

export interface TranscriptFacts {
  /** File name of the film. */
  film: string;
  /** What has answered, as a sentence. */
  llm: string;
  turns: readonly RecordedTurn[];
}

/** Every turn with its texts and latencies. */
export function conversationTranscript({ film, llm, turns }: TranscriptFacts): string {
  const parts = turns.map(({ shows, how, atS, said, understood, answer, answeredMs, silentMs }) => {
    const minutes = `${Math.floor(atS / 60)}:${(atS % 60).toFixed(1).padStart(4, "0")}`;
    const lines = [`## ${minutes} ${shows}`, ""];
    if (how !== "greeting") lines.push(`- Person (${how}): ${said}`);
    if (understood !== "" && understood !== said) lines.push(`- Understood: ${understood}`);
    lines.push(`- Avatar: ${answer === "" ? "(nothing was heard)" : answer}`);
    if (silentMs !== undefined) lines.push(`- Silent ${silentMs} ms after the person's first sound`);
    if (answeredMs !== undefined)
      lines.push(`- First sound ${answeredMs} ms after the ${how === "typed" ? "text was sent" : "end of speech"}`);
    return lines.join("\n");
  });
  return `# A conversation\n\n[${film}](${film}) is what the person saw and heard. ${llm}\n\n${parts.join("\n\n")}\n`;
}
