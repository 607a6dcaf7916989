// What the page's address says about its look and its first words. Anyone can change an address: unknown values and
// overlong ones are left out.
import { ACCENT_NAMES, type Accent } from "../../shared/accents.ts";
import { WIDGET_THEMES } from "../../shared/widget-messages.ts";
import { LANGUAGE_TAG, MAX_QUESTIONS, QUESTION_MAX_CHARACTERS } from "../../shared/widget-options.ts";

export interface LookParameters {
  /** Inside a widget: without a header, on a transparent ground. */
  isGadget: boolean;
  theme: (typeof WIDGET_THEMES)[number];
  colour: Accent | undefined;
  /** A chat begins with typing or with the microphone; undefined: the page is no chat. */
  chatMode: "text" | "voice" | undefined;
  /** First line of a chat's transcript. */
  welcome: string;
  questions: readonly string[];
  /** What the avatar is to say first. */
  greeting: string;
  /** Language of the agent's greeting, as a tag; undefined: the agent's own. */
  greetingLanguage: string | undefined;
}

const TEXT_MAX_CHARACTERS = 500;

/** Reads an address. Throws TypeError if the string is not an absolute URL. */
export function readLook(address: string): LookParameters {
  const { searchParams } = new URL(address);
  const text = (name: string): string => {
    const value = (searchParams.get(name) ?? "").replace(/\p{Cc}+/gu, " ").trim();
    return value.length <= TEXT_MAX_CHARACTERS ? value : "";
  };
  const questions = searchParams
    .getAll("suggestedQuestions")
    .flatMap((value) => value.slice(0, 2_000).split("|"))
    .map((question) => question.replace(/\p{Cc}+/gu, " ").trim())
    .filter((question) => question !== "" && question.length <= QUESTION_MAX_CHARACTERS);
  return {
    isGadget: searchParams.get("deployment") === "gadget",
    theme: oneOf(WIDGET_THEMES, text("embed_theme")) ?? "auto",
    colour: oneOf(ACCENT_NAMES, text("theme_color")),
    chatMode: oneOf(["text", "voice"] as const, text("chat_mode")),
    welcome: text("welcomeMsg"),
    questions: [...new Set(questions)].slice(0, MAX_QUESTIONS),
    greeting: text("greetingMsg"),
    greetingLanguage: LANGUAGE_TAG.exec(text("greetingLang"))?.[0],
  };
}

function oneOf<const T extends readonly string[]>(values: T, text: string): T[number] | undefined {
  return values.find((value) => value === text);
}
