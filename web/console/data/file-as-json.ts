// Files in requests of the console: its routes take JSON alone.

/** The file in base64, for a field of a body that holds a file. The client's types have a file there; a text is sent as
 *  it is. Rejects with the browser's error if the file cannot be read. */
export function fileAsJson(file: Blob): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error);
    reader.onload = () => {
      const url = String(reader.result);
      resolve(url.slice(url.indexOf(",") + 1) as unknown as Blob);
    };
    reader.readAsDataURL(file);
  });
}
