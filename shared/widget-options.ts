// The options of the widgets: one table for the widget, the embed page and the documentation. An option is called
// `agentId` in a script, `data-agent-id` on the script tag and `agent-id` on the element; what it does is in
// widget-option-notes.ts.
import { ACCENT_NAMES } from "./accents.ts";
import { WIDGET_FORMS, WIDGET_THEMES, type WidgetForm } from "./widget-messages.ts";

/** Values that an option takes. */
export type OptionKind =
  | { type: "text"; maxCharacters: number }
  | { type: "number"; min: number; max: number }
  | { type: "flag" }
  | { type: "choice"; values: readonly string[] }
  /** #rrggbb */
  | { type: "colour" }
  /** An absolute http(s) address, or one relative to the page. */
  | { type: "address" }
  /** Of a code, or the address of an agent's page. */
  | { type: "agent" }
  /** A BCP 47 tag, or `auto`. */
  | { type: "language" }
  /** Texts; one string separates them with |. */
  | { type: "texts"; maxCount: number; maxCharacters: number };

export type OptionValue = string | number | boolean | readonly string[];

export interface WidgetOption {
  kind: OptionKind;
  /** Undefined: the option has none, and is left out of everything. */
  byDefault: OptionValue | undefined;
  /** Forms that have it. */
  forms: readonly WidgetForm[];
  /** Its parameter in the address of the embed page. */
  parameter?: string;
}

const FLOATING = ["floating"] as const;
const CHAT = ["chat"] as const;
const BUTTONS = ["floating", "chat"] as const;

/** BCP 47. */
export const LANGUAGE_TAG = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/;

const text = (maxCharacters: number): OptionKind => ({ type: "text", maxCharacters });
const number = (min: number, max: number): OptionKind => ({ type: "number", min, max });
const choice = (...values: string[]): OptionKind => ({ type: "choice", values });
const flag: OptionKind = { type: "flag" };
const colour: OptionKind = { type: "colour" };
const address: OptionKind = { type: "address" };
const language: OptionKind = { type: "language" };
/** Most questions that a widget offers at a time, and their longest. */
export const MAX_QUESTIONS = 3;
export const QUESTION_MAX_CHARACTERS = 120;
const texts: OptionKind = { type: "texts", maxCount: MAX_QUESTIONS, maxCharacters: QUESTION_MAX_CHARACTERS };

function option<Forms extends readonly WidgetForm[]>(
  forms: Forms,
  kind: OptionKind,
  byDefault?: OptionValue,
  parameter?: string,
): WidgetOption {
  return { forms, kind, byDefault, ...(parameter && { parameter }) };
}

/** Longest text that a visitor reads in one go. */
const LINE = 80;
const SENTENCE = 200;
const PARAGRAPH = 500;
const MAX_Z_INDEX = 2_147_483_647;

export const WIDGET_OPTIONS = {
  form: option(WIDGET_FORMS, choice(...WIDGET_FORMS), "floating"),
  agentId: option(WIDGET_FORMS, { type: "agent" }),
  token: option(WIDGET_FORMS, text(4_096), undefined, "token"),
  serviceUrl: option(WIDGET_FORMS, address),
  model: option(WIDGET_FORMS, text(60), undefined, "model"),
  endUserId: option(WIDGET_FORMS, text(200), undefined, "end_user_id"),
  render: option(WIDGET_FORMS, choice("stream", "local", "auto"), undefined, "render"),
  renderingMode: option(WIDGET_FORMS, choice("browser", "avatar"), undefined, "rendering_mode"),
  theme: option(WIDGET_FORMS, choice(...WIDGET_THEMES), "light", "embed_theme"),
  themeColor: option(WIDGET_FORMS, choice(...ACCENT_NAMES), "blue", "theme_color"),
  greetingLanguage: option(WIDGET_FORMS, language, "auto", "greetingLang"),
  greetingMessage: option(WIDGET_FORMS, text(PARAGRAPH), undefined, "greetingMsg"),
  imageUrl: option(WIDGET_FORMS, address),
  autoLoad: option(WIDGET_FORMS, flag, false),
  container: option(["inline"], text(SENTENCE)),

  position: option(BUTTONS, choice("bottom-right", "bottom-left", "top-right", "top-left"), "bottom-right"),
  zIndex: option(BUTTONS, number(0, MAX_Z_INDEX), 99_999),
  size: option(FLOATING, number(50, 2_000), 200),
  minSize: option(FLOATING, number(50, 2_000), 50),
  maxSize: option(FLOATING, number(50, 2_000), 400),
  margin: option(BUTTONS, number(0, 500)),
  buttonStyle: option(FLOATING, choice("pill", "circle"), "pill"),
  buttonText: option(["floating", "inline"], text(LINE), "Chat"),
  frameStyle: option(["floating", "inline"], choice("rounded", "circle", "square"), "rounded"),
  draggable: option(FLOATING, flag, true),
  resizable: option(FLOATING, flag, true),
  transparent: option(FLOATING, flag, false),
  keyColor: option(FLOATING, colour),
  keySimilarity: option(FLOATING, number(0, 1), 0.4),
  keySmoothness: option(FLOATING, number(0, 1), 0.08),
  keySpill: option(FLOATING, number(0, 1), 0.1),
  keyErode: option(FLOATING, number(0, 10), 0),

  fabStyle: option(CHAT, choice("preview", "bar", "circle"), "preview"),
  fabSize: option(CHAT, number(40, 160), 60),
  fabText: option(CHAT, text(LINE), "Talk to us"),
  fabSubtext: option(CHAT, text(LINE), ""),
  headerTitle: option(CHAT, text(LINE), ""),
  welcomeMessage: option(CHAT, text(PARAGRAPH), undefined, "welcomeMsg"),
  defaultChatMode: option(CHAT, choice("text", "voice"), "text", "chat_mode"),
  allowModeSwitch: option(CHAT, flag, true),
  expandedWidth: option(CHAT, number(280, 1_200), 420),
  attentionPulse: option(CHAT, flag, true),
  teaserEnabled: option(CHAT, flag, false),
  teaserMessage: option(CHAT, text(SENTENCE), "Hello! Ask me anything."),
  teaserDelay: option(CHAT, number(0, 600_000), 2_200),
  teaserAutoHide: option(CHAT, number(0, 600_000), 12_000),
  topBanner: option(CHAT, flag, false),
  topBannerText: option(CHAT, text(SENTENCE), "Talk to us, face to face."),
  topBannerQuestions: option(CHAT, texts, []),
  suggestedQuestions: option(CHAT, texts, [], "suggestedQuestions"),
} as const satisfies Record<string, WidgetOption>;

export type WidgetOptionName = keyof typeof WIDGET_OPTIONS;

/** Default of `margin`, the one that depends on the form: px from the edges of the window. */
export const MARGIN_BY_DEFAULT_PX = { floating: 60, chat: 20, inline: 0 } as const satisfies Record<WidgetForm, number>;

/** `agentId` as an attribute: `agent-id`. */
export function attributeOf(option: string): string {
  return option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
