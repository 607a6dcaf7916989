// What pages give to the widgets and get from them.
import type { PageMessage, WidgetForm } from "../../shared/widget-messages.ts";

/** Options of a widget. Defaults, allowed values and what each does: docs/widgets.md. */
export interface WidgetInit {
  form?: WidgetForm;
  /** The agent's code, or the address of its page. */
  agentId?: string;
  agentUrl?: string;
  /** An embed token. */
  token?: string;
  /** Returns an embed token; called at each start, and when one has expired. */
  getToken?: () => string | Promise<string>;
  serviceUrl?: string;
  model?: string;
  endUserId?: string;
  render?: "stream" | "local" | "auto";
  renderingMode?: "browser" | "avatar";
  theme?: "light" | "dark" | "auto";
  themeColor?: "blue" | "purple" | "green" | "red" | "orange" | "teal" | "pink" | "indigo";
  greetingLanguage?: string;
  greetingMessage?: string;
  imageUrl?: string;
  autoLoad?: boolean;
  /** Where an inline widget goes: an element, or a CSS selector. */
  container?: string | Element;
  position?: "bottom-right" | "bottom-left" | "top-right" | "top-left";
  zIndex?: number;
  /** Px, like the other sizes. */
  size?: number;
  minSize?: number;
  maxSize?: number;
  margin?: number;
  buttonStyle?: "pill" | "circle";
  buttonText?: string;
  frameStyle?: "rounded" | "circle" | "square";
  draggable?: boolean;
  resizable?: boolean;
  transparent?: boolean;
  keyColor?: string;
  keySimilarity?: number;
  keySmoothness?: number;
  keySpill?: number;
  keyErode?: number;
  fabStyle?: "preview" | "bar" | "circle";
  fabSize?: number;
  fabText?: string;
  fabSubtext?: string;
  headerTitle?: string;
  welcomeMessage?: string;
  defaultChatMode?: "text" | "voice";
  allowModeSwitch?: boolean;
  expandedWidth?: number;
  attentionPulse?: boolean;
  teaserEnabled?: boolean;
  teaserMessage?: string;
  /** Ms. */
  teaserDelay?: number;
  /** Ms. */
  teaserAutoHide?: number;
  topBanner?: boolean;
  topBannerText?: string;
  topBannerQuestions?: readonly string[];
  suggestedQuestions?: readonly string[];
}

type DetailOf<Type extends PageMessage["type"]> = Omit<Extract<PageMessage, { type: Type }>, "type">;

/** The details of the widget's events. */
export interface WidgetEventMap {
  /** The page in the frame listens. */
  ready: DetailOf<"ready">;
  /** Frames of the avatar are shown. */
  live: DetailOf<"live">;
  speaking: DetailOf<"speaking">;
  /** What was said, as text: it may contain markup. */
  caption: DetailOf<"caption">;
  /** `reason`: also `closed`, `removed` and `options`, which the widget adds. */
  ended: DetailOf<"ended">;
  /** `code`: also `FRAME_SILENT`, `TOKEN_MISSING` and `TOKEN_EXPIRED`. */
  error: DetailOf<"error">;
}
