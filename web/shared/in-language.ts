import type { Language } from "./languages.ts";

/** The address of an embed page, or of the preview of a site, in a language. Throws TypeError if it is not an absolute
 *  URL. */
export function inLanguage(page: string, language: Language): string {
  const url = new URL(page);
  url.searchParams.set("lang", language);
  return url.href;
}
