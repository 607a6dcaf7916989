// Files as text in requests: base64, with or without the head of a data URI.

/** The head of a data URI: `data:<type>;<parameters>,`. Captures the type and the parameters, each parameter with its
 *  leading semicolon. */
export const DATA_URI_HEAD = /^data:([^;,]{0,100})((?:;[^;,]{0,100}){0,6}),/i;
/** Digits of the standard or the URL-safe alphabet, then padding; captures both. Remove line breaks before matching. */
export const BASE64_TEXT = /^([A-Za-z0-9+/_-]*)(={0,2})$/;

/** Whether the parameters of a data URI say that it is base64. */
export function isBase64Uri(parameters: string): boolean {
  return parameters.toLowerCase().split(";").includes("base64");
}

/** Whether a text with `digitCount` digits and `paddingCount` padding characters is complete, not cut short. Padding
 *  may be omitted. */
export function isWholeBase64(digitCount: number, paddingCount: number): boolean {
  if (paddingCount === 0) return digitCount % 4 !== 1;
  return paddingCount <= 2 && (digitCount + paddingCount) % 4 === 0;
}
