// The ways in which a picture comes to the page: chosen, dropped anywhere on it, or pasted.

export interface PictureSourceOptions {
  /** The hidden file input. */
  input: HTMLInputElement;
  /** Opens the input. */
  button: HTMLElement;
  /** Whether the page takes a picture now. */
  isOpen(): boolean;
  /** Whether files are dragged over the page. */
  onDrag(isOver: boolean): void;
  onFile(file: File): void;
  /** Something without a file was dropped. */
  onNothing(message: string): void;
}

/** Listens for pictures for as long as the page is open. */
export function listenForPictures(options: PictureSourceOptions): void {
  const { input, button, isOpen, onDrag, onFile, onNothing } = options;
  button.addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    // Choosing the same file again is a change, too.
    input.value = "";
    if (file) onFile(file);
  });
  document.addEventListener("paste", (event) => {
    const [file] = event.clipboardData?.files ?? [];
    if (!file || !isOpen()) return;
    event.preventDefault();
    onFile(file);
  });
  // Also where no picture is taken: a browser would leave the page and open the file.
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    const isWelcome = isOpen() && (event.dataTransfer?.types.includes("Files") ?? false);
    if (event.dataTransfer) event.dataTransfer.dropEffect = isWelcome ? "copy" : "none";
    onDrag(isWelcome);
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) onDrag(false);
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    onDrag(false);
    if (!isOpen()) return;
    const [file] = event.dataTransfer?.files ?? [];
    if (file) onFile(file);
    else onNothing("That was not a file. Save the picture first, then drop or choose the file.");
  });
}
