// The messages between a widget in a site's page (the host) and the embed page in the widget's frame. Both sides import
// this table. Each names the other's exact origin when it posts, and reads nothing of other windows or origins.
//
// The host tells the frame its origin in the fragment of the frame's address (`#host=https%3A%2F%2Fsite.example`). An
// address that names another origin than the real one gets no messages through, because browsers deliver none.

import { ACCENT_NAMES } from "./accents.ts";

const SERVICE = "avatar-widget";
const VERSION = 1;
/** Parameter of the fragment with the host's origin. */
export const HOST_PARAMETER = "host";
/** Parameter of the fragment that tells the widgets of one site apart, because their frames share what the tab keeps:
 *  1, 2 and so on. The first one lacks it. */
export const PLACE_PARAMETER = "place";
/** Embed tokens are far shorter. */
export const TOKEN_MAX_CHARACTERS = 4_096;
const NAME_MAX_CHARACTERS = 200;
const CODE_MAX_CHARACTERS = 60;
const NOTE_MAX_CHARACTERS = 500;
/** Longer captions are cut by the sender. */
export const CAPTION_MAX_CHARACTERS = 4_000;
/** The service takes no longer ones. */
export const SAY_MAX_CHARACTERS = 500;

export const WIDGET_FORMS = ["floating", "chat", "inline"] as const;
export type WidgetForm = (typeof WIDGET_FORMS)[number];
export const WIDGET_THEMES = ["light", "dark", "auto"] as const;

type Check<T> = (value: unknown) => value is T;
type Fields = Readonly<Record<string, Check<unknown>>>;
type Checked<F extends Fields> = { [K in keyof F]: F[K] extends Check<infer T> ? T : never };
type MessageOf<Table extends Readonly<Record<string, Fields>>> = {
  [Type in keyof Table]: { type: Type } & Checked<Table[Type]>;
}[keyof Table];

const flag: Check<boolean> = (value) => typeof value === "boolean";
const text =
  (maxCharacters: number): Check<string> =>
  (value): value is string =>
    typeof value === "string" && value.length <= maxCharacters;
const number =
  (min: number, max: number): Check<number> =>
  (value): value is number =>
    typeof value === "number" && value >= min && value <= max;
const oneOf =
  <const T extends readonly string[]>(values: T): Check<T[number]> =>
  (value): value is T[number] =>
    typeof value === "string" && values.includes(value);

/** From the embed page to its host. */
const PAGE_MESSAGES = {
  /** The page listens, and has no avatar yet. The host answers with `init`, also to a page that was reloaded. */
  ready: {},
  /** Frames of the avatar are shown. */
  live: { agentName: text(NAME_MAX_CHARACTERS) },
  /** The avatar began or stopped speaking. */
  speaking: { isSpeaking: flag },
  /** Words of a segment so far, from its beginning. At most CAPTION_MAX_CHARACTERS. */
  caption: {
    speaker: oneOf(["avatar", "visitor"]),
    segmentId: text(NAME_MAX_CHARACTERS),
    text: text(CAPTION_MAX_CHARACTERS),
    isFinal: flag,
  },
  /** The conversation is over. `reason`: a code of `web/embed/plain-words.ts`. `retries`: the page tries again. */
  ended: { reason: text(CODE_MAX_CHARACTERS), message: text(NOTE_MAX_CHARACTERS), retries: flag },
  /** Something failed; the page goes on where it can. `code`: one of the REST API's, or of the page. */
  error: { code: text(CODE_MAX_CHARACTERS), message: text(NOTE_MAX_CHARACTERS) },
  /** The page has no embed token, or the service refuses the one it has. It waits for `token`. */
  "need-token": { reason: oneOf(["missing", "expired"]) },
  /** Width by height of the face's video, and where the label "AI-generated face" stands: in the page, or nowhere
   *  because the frame has no room for it (the host shows it), or nowhere because the agent has none. */
  size: { ratio: number(0.1, 10), label: oneOf(["page", "host", "none"]) },
} as const satisfies Record<string, Fields>;

/** From the host to the embed page. */
const HOST_MESSAGES = {
  /** The widget's form, and what the address of the page has no parameters for. `title` replaces the agent's name above
   *  a chat unless empty. Colours that are like `keyColour` (#rrggbb; empty: sampled from the corners) become
   *  transparent if `isTransparent`; the four numbers are 0 to 1, `keyErode` is in px. */
  init: {
    form: oneOf(WIDGET_FORMS),
    isMuted: flag,
    title: text(NAME_MAX_CHARACTERS),
    allowsModeSwitch: flag,
    isTransparent: flag,
    keyColour: text(7),
    keySimilarity: number(0, 1),
    keySmoothness: number(0, 1),
    keySpill: number(0, 1),
    keyErode: number(0, 10),
  },
  /** An embed token: the answer to `need-token`. */
  token: { token: text(TOKEN_MAX_CHARACTERS) },
  /** `ask`: the visitor's message to the avatar. `say`: the avatar says it. */
  say: { text: text(SAY_MAX_CHARACTERS), mode: oneOf(["ask", "say"]) },
  /** Whether the avatar's voice is silent. */
  mute: { isMuted: flag },
  theme: { theme: oneOf(WIDGET_THEMES), colour: oneOf(ACCENT_NAMES) },
  /** Leave the room; the host removes the frame after `ended`, or after a second. */
  end: {},
} as const satisfies Record<string, Fields>;

export type PageMessage = MessageOf<typeof PAGE_MESSAGES>;
export type HostMessage = MessageOf<typeof HOST_MESSAGES>;

/** What the other side is, as this side knows it. */
export interface MessagePeer {
  window: MessageEventSource | null;
  /** Like `https://avatar.example`. */
  origin: string;
}

type Received = Pick<MessageEvent, "data" | "origin" | "source">;

/** What goes through `postMessage` for a message. */
export function packMessage<M extends PageMessage | HostMessage>(message: M): M & { service: string; version: number } {
  return { service: SERVICE, version: VERSION, ...message };
}

/** The embed page's message; undefined for other windows, origins and contents. Never throws. */
export function readPageMessage(received: Received, page: MessagePeer): PageMessage | undefined {
  return isFrom(received, page) ? (readMessage(received.data, PAGE_MESSAGES) as PageMessage | undefined) : undefined;
}

/** The host's message; undefined for other windows, origins and contents. Never throws. */
export function readHostMessage(received: Received, host: MessagePeer): HostMessage | undefined {
  return isFrom(received, host) ? (readMessage(received.data, HOST_MESSAGES) as HostMessage | undefined) : undefined;
}

function isFrom({ source, origin }: Received, peer: MessagePeer): boolean {
  return source !== null && source === peer.window && origin === peer.origin;
}

/** A message with its known fields only. */
function readMessage(data: unknown, table: Readonly<Record<string, Fields>>): Record<string, unknown> | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const values = data as Record<string, unknown>;
  const { service, version, type } = values;
  if (service !== SERVICE || version !== VERSION || typeof type !== "string" || !Object.hasOwn(table, type)) return;
  const fields = Object.entries(table[type]);
  if (!fields.every(([name, isValid]) => isValid(values[name]))) return undefined;
  return { type, ...Object.fromEntries(fields.map(([name]) => [name, values[name]])) };
}

/** The host's origin in the fragment of the page's address (`hash`, with or without #). Undefined without a widget, and
 *  for what is no origin of a site. */
export function readHostOrigin(hash: string): string | undefined {
  const value = new URLSearchParams(hash.replace(/^#/, "")).get(HOST_PARAMETER) ?? "";
  if (!URL.canParse(value)) return undefined;
  const { origin, protocol } = new URL(value);
  return origin === value && /^https?:$/.test(protocol) ? origin : undefined;
}

/** The widget's place in the fragment of the page's address; 0 without one, and for anything but a small number. */
export function readPlace(hash: string): number {
  const value = new URLSearchParams(hash.replace(/^#/, "")).get(PLACE_PARAMETER) ?? "";
  return /^[1-9]\d?$/.test(value) ? Number(value) : 0;
}
