// How a request may write a file as text: base64, with or without the head of a data URI.

/** The head of a data URI: `data:<type>;<parameters>,`. Captures the type and the parameters, each with its semicolon. */
export const DATA_URI_HEAD = /^data:([^;,]{0,100})((?:;[^;,]{0,100}){0,6}),/i;
/** Digits of the standard alphabet or of the URL-safe one, then padding; captures both. Line breaks are to be removed before. */
export const BASE64_TEXT = /^([A-Za-z0-9+/_-]*)(={0,2})$/;

/** Whether the parameters of a data URI say that it is base64. */
export function isBase64Uri(parameters: string): boolean {
  return parameters.toLowerCase().split(";").includes("base64");
}

/** Whether so many digits and padding characters are a whole text, not one that was cut short. Padding may be left out. */
export function isWholeBase64(digitCount: number, paddingCount: number): boolean {
  if (paddingCount === 0) return digitCount % 4 !== 1;
  return paddingCount <= 2 && (digitCount + paddingCount) % 4 === 0;
}
