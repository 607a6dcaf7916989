/** Copies a text. False if the browser does not allow it: outside https, in a frame, or because the visitor refused. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
