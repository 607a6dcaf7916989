// The address of the embed page in a widget's frame. Its parameters are the contract's; what it has none for goes by
// message (`init`).
import { HOST_PARAMETER, PLACE_PARAMETER } from "../../shared/widget-messages.ts";
import { WIDGET_OPTIONS, type WidgetOption, type WidgetOptionName } from "../../shared/widget-options.ts";
import type { WidgetSettings } from "./widget-options.ts";

/** `needsToken`: the site gives a token, at once or later; else the agent is shared with everybody and the page has an
 *  address of its own. `language`: of the site, empty if it names none. The token, the host's origin and the widget's
 *  place among those of the page stand in the fragment, which no server sees. */
export function frameAddress(
  settings: WidgetSettings,
  options: { needsToken: boolean; hostOrigin: string; language: string; place: number },
): string {
  const { needsToken, hostOrigin, language, place } = options;
  const page = needsToken ? "embed" : "share";
  const url = new URL(`${settings.serviceUrl}/${page}/${encodeURIComponent(settings.text("agentId"))}`);
  url.searchParams.set("deployment", "gadget");
  for (const [name, { parameter, forms }] of Object.entries<WidgetOption>(WIDGET_OPTIONS)) {
    if (!parameter || name === "token" || !forms.includes(settings.form)) continue;
    const value = parameterValue(settings, name as WidgetOptionName, language);
    if (value !== "") url.searchParams.set(parameter, value);
  }
  if (language !== "") url.searchParams.set("lang", language);
  const fragment = new URLSearchParams();
  if (settings.text("token")) fragment.set("token", settings.text("token"));
  // A page without an origin, such as a file, gets no messages.
  if (/^https?:/.test(hostOrigin)) fragment.set(HOST_PARAMETER, hostOrigin);
  if (place > 0) fragment.set(PLACE_PARAMETER, String(place));
  url.hash = fragment.toString();
  return url.href;
}

/** The picture of an agent that is shared with everybody. */
export function posterAddress(settings: WidgetSettings): string {
  return `${settings.serviceUrl}/share/${encodeURIComponent(settings.text("agentId"))}/poster`;
}

function parameterValue(settings: WidgetSettings, name: WidgetOptionName, language: string): string {
  if (name === "suggestedQuestions") return settings.texts(name).join("|");
  const value = settings.text(name);
  return name === "greetingLanguage" && value === "auto" ? language : value;
}
