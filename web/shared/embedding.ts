// How an agent is put into a site: one description for the code that the console shows, and for the page that previews
// it.
import { ACCENT_NAMES } from "../../shared/accents.ts";
import { WIDGET_THEMES } from "../../shared/widget-messages.ts";
import { attributeOf } from "../../shared/widget-options.ts";

export const EMBEDDINGS = ["floating", "chat", "inline", "frame", "react", "npm"] as const;
export const FRAME_STYLES = ["rounded", "circle", "square"] as const;
export const POSITIONS = ["bottom-right", "bottom-left", "top-right", "top-left"] as const;

export interface EmbeddingChoice {
  embedding: (typeof EMBEDDINGS)[number];
  agentId: string;
  theme: (typeof WIDGET_THEMES)[number];
  themeColor: (typeof ACCENT_NAMES)[number];
  /** Shape of a face that is no chat. */
  frameStyle: (typeof FRAME_STYLES)[number];
  /** Corner of one that floats, and of a chat. */
  position: (typeof POSITIONS)[number];
}

/** An element of the page, as HTML writes it. */
export interface EmbeddingTag {
  name: "script" | "avatar-widget" | "iframe";
  attributes: Readonly<Record<string, string>>;
}

/** What the widget takes, without what it does by default. */
type Options = Readonly<Record<string, string>>;

export const FIRST_CHOICE: Omit<EmbeddingChoice, "agentId"> = {
  embedding: "floating",
  theme: "light",
  themeColor: "blue",
  frameStyle: "rounded",
  position: "bottom-right",
};
const INLINE_SIZE = "display: block; width: 320px; height: 420px";
const FRAME_SIZE = "width: 360px; height: 560px; border: 0";
const MEDIA = "microphone; camera; autoplay";

/** Whether that form has this option. */
export function takesOption(embedding: EmbeddingChoice["embedding"], option: "frameStyle" | "position"): boolean {
  const floats = embedding === "floating" || embedding === "chat" || embedding === "npm";
  if (option === "position") return floats;
  return embedding === "floating" || embedding === "inline" || embedding === "react" || embedding === "npm";
}

/** The elements that show it. `service`: the service's address, with a slash at the end. */
export function embeddingTags(choice: EmbeddingChoice, service: URL): EmbeddingTag[] {
  const { embedding, agentId } = choice;
  const script = new URL("widget.js", service).href;
  const options = optionsOf(choice);
  if (embedding === "frame") {
    const page = new URL(`share/${encodeURIComponent(agentId)}`, service);
    page.searchParams.set("embed_theme", choice.theme);
    page.searchParams.set("theme_color", choice.themeColor);
    return [{ name: "iframe", attributes: { src: page.href, title: "Avatar", allow: MEDIA, style: FRAME_SIZE } }];
  }
  if (embedding === "inline" || embedding === "react") {
    return [
      { name: "avatar-widget", attributes: { ...attributesOf(options), style: INLINE_SIZE } },
      { name: "script", attributes: { src: script, async: "" } },
    ];
  }
  // The package makes the same widget as the script's own attributes.
  return [{ name: "script", attributes: { src: script, ...attributesOf(options, "data-"), async: "" } }];
}

/** The code for the site. */
export function embeddingCode(choice: EmbeddingChoice, service: URL): string {
  const options = { serviceUrl: service.href.replace(/\/$/, ""), ...optionsOf(choice) };
  const inScript = Object.entries(options).map(([name, value]) => [name, JSON.stringify(value)] as const);
  if (choice.embedding === "react") {
    const props = inScript.map(
      ([name, value]) => `      ${name}=${/[\\"<>{}&]/.test(value.slice(1, -1)) ? `{${value}}` : value}`,
    );
    return [
      `import { AvatarWidget } from "@open-avatar/widget/react";`,
      "",
      "export function Avatar() {",
      "  return (",
      "    <AvatarWidget",
      `      className="avatar"`,
      ...props,
      "    />",
      "  );",
      "}",
      "",
      `/* CSS: .avatar { ${INLINE_SIZE} } */`,
    ].join("\n");
  }
  if (choice.embedding === "npm") {
    return [
      `import { init } from "@open-avatar/widget";`,
      "",
      "init({",
      ...inScript.map(([name, value]) => `  ${name}: ${value},`),
      "});",
    ].join("\n");
  }
  return embeddingTags(choice, service).map(writeTag).join("\n");
}

/** The parameters of the preview's address. */
export function writeChoice(choice: EmbeddingChoice): string {
  return new URLSearchParams(Object.entries(choice)).toString();
}

/** Reads them. Undefined if one is missing or unknown. */
export function readChoice(parameters: string): EmbeddingChoice | undefined {
  const values = new URLSearchParams(parameters);
  const one = <const T extends readonly string[]>(name: string, of: T): T[number] | undefined =>
    of.find((value) => value === values.get(name));
  const agentId = values.get("agentId");
  const embedding = one("embedding", EMBEDDINGS);
  const theme = one("theme", WIDGET_THEMES);
  const themeColor = one("themeColor", ACCENT_NAMES);
  const frameStyle = one("frameStyle", FRAME_STYLES);
  const position = one("position", POSITIONS);
  if (!agentId || !embedding || !theme || !themeColor || !frameStyle || !position) return undefined;
  return { embedding, agentId, theme, themeColor, frameStyle, position };
}

function optionsOf({ embedding, agentId, theme, themeColor, frameStyle, position }: EmbeddingChoice): Options {
  return {
    ...(embedding === "chat" && { form: "chat" }),
    agentId,
    ...(theme !== FIRST_CHOICE.theme && { theme }),
    ...(themeColor !== FIRST_CHOICE.themeColor && { themeColor }),
    ...(takesOption(embedding, "frameStyle") && frameStyle !== FIRST_CHOICE.frameStyle && { frameStyle }),
    ...(takesOption(embedding, "position") && position !== FIRST_CHOICE.position && { position }),
  };
}

function attributesOf(options: Options, prefix = ""): Record<string, string> {
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [prefix + attributeOf(name), value]));
}

function writeTag({ name, attributes }: EmbeddingTag): string {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === "" ? key : `${key}="${escapeText(value)}"`,
  );
  return `<${[name, ...written].join(" ")}></${name}>`;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
