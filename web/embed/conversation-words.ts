// What the page says about the conversation: what answers, what is kept, and why the microphone stays off.

/** What answers, as the avatar tells it in its attribute `avatar_mind`. */
export type AnswerSource = "model" | "knowledge" | "none";

/** A line of text, and a command to type. */
export interface Note {
  text: string;
  command?: string;
}

/** What to say about what answers; undefined if there is nothing to say. `isThisMachine`: the page is opened on the
 *  machine of the service, where a language model can be started. */
export function answerSourceNote(source: AnswerSource | undefined, isThisMachine: boolean): Note | undefined {
  if (source === "knowledge") return { text: "This avatar answers from its documents." };
  if (source !== "none") return undefined;
  if (!isThisMachine) {
    return { text: "This avatar hears you, but is not connected to a language model. It says what you type." };
  }
  return {
    text: "This avatar hears you, but no language model is connected. On this machine, start one, for example:",
    command: "ollama run llama3.2",
  };
}

/** What the text box and its button are called. */
export function typingWords(source: AnswerSource | undefined): { button: string; placeholder: string; label: string } {
  return source === "none"
    ? { button: "Say it", placeholder: "Type something to say", label: "What the avatar should say" }
    : { button: "Send", placeholder: "Type a message", label: "Message to the avatar" };
}

/** How long messages are kept, and whether they are used in the next conversation; undefined if they are not kept. */
export function keptNote(days: number, remembers: boolean): string | undefined {
  if (days <= 0) return undefined;
  const kept = `A transcript is kept for ${days === 1 ? "1 day" : `${days} days`}.`;
  return remembers ? `${kept} The avatar remembers what you talked about last time.` : kept;
}

/** What to say about the visitor's camera while it is on, by `avatar_camera`. */
export function cameraNote(view: string | undefined): string {
  if (view === "unseen") return "This avatar's language model takes no images: it does not see you.";
  return "With each thing you say, the avatar gets one image from your camera. Images are not kept.";
}

/** A value of `avatar_mind`; undefined for any other text. */
export function parseAnswerSource(text: string | undefined): AnswerSource | undefined {
  return text === "model" || text === "knowledge" || text === "none" ? text : undefined;
}

const ACTIVITIES: Readonly<Record<string, string>> = {
  listening: "Listening",
  thinking: "Thinking",
  speaking: "Speaking",
};

/** What the avatar does, by `lk.agent.state`; undefined while it does none of these. */
export function activityLabel(agentState: string | undefined): string | undefined {
  return agentState === undefined ? undefined : ACTIVITIES[agentState];
}
