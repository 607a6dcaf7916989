/** Lets the visitor save data as a file. */
export function saveFile(data: Blob, fileName: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(data);
  link.download = fileName;
  link.click();
  // The browser has read the address by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
