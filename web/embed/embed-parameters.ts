// Parameters of the page's address besides the token.

/** What the address requests. Undefined where it says nothing. */
export interface EmbedParameters {
  /** Name of a model family or force tier. */
  model: string | undefined;
  /** The embedding site's own id of the visitor. */
  endUserId: string | undefined;
  /** Who renders the face. */
  render: RenderChoice;
}

/** `stream`: the service; `local`: this tab; `auto`: this tab where it can and may. */
export type RenderChoice = "stream" | "local" | "auto";

/** Other names of the choices: `rendering_mode` of widgets. */
const RENDERING_MODES: Readonly<Record<string, RenderChoice>> = { browser: "local", avatar: "stream" };
const RENDER_CHOICES: Readonly<Record<string, RenderChoice>> = { stream: "stream", local: "local", auto: "auto" };
const RENDER_MAX_CHARACTERS = 20;

/** Of the service, unless its operator chose another. */
const STREAM_CODEC = "video/h264";

/** The names under which sites send the visitor's id, the first one found counts. */
const END_USER_NAMES = ["end_user_id", "endUserId", "visitor_id", "fingerprint"];
/** The service takes no longer ones; they are left out, as if the address did not have them. */
const MODEL_MAX_CHARACTERS = 60;
const END_USER_MAX_CHARACTERS = 200;

/** The stream becomes `auto` in a browser that cannot decode it: Debian's Firefox has no H.264. `codecs`: what the
 *  browser decodes in calls; undefined if it does not tell. */
export function choiceFor(wanted: RenderChoice, codecs: readonly { mimeType: string }[] | undefined): RenderChoice {
  const canStream = codecs?.some(({ mimeType }) => mimeType.toLowerCase() === STREAM_CODEC) ?? true;
  return wanted === "stream" && !canStream ? "auto" : wanted;
}

/** Reads an address. Throws TypeError if the string is not an absolute URL. */
export function readParameters(address: string): EmbedParameters {
  const { searchParams } = new URL(address);
  const read = (name: string, maxCharacters: number): string | undefined => {
    const value = searchParams.get(name)?.trim();
    return value && value.length <= maxCharacters ? value : undefined;
  };
  const endUserIds = END_USER_NAMES.map((name) => read(name, END_USER_MAX_CHARACTERS));
  const render =
    choiceOf(RENDER_CHOICES, read("render", RENDER_MAX_CHARACTERS)) ??
    choiceOf(RENDERING_MODES, read("rendering_mode", RENDER_MAX_CHARACTERS)) ??
    "stream";
  return {
    model: read("model", MODEL_MAX_CHARACTERS),
    endUserId: endUserIds.find((id) => id !== undefined),
    render,
  };
}

function choiceOf(choices: Readonly<Record<string, RenderChoice>>, name = ""): RenderChoice | undefined {
  return Object.hasOwn(choices, name) ? choices[name] : undefined;
}
