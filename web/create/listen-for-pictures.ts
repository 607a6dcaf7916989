// The ways in which a picture comes to the page: chosen, dropped anywhere on it, or pasted.

export interface PictureSourceOptions {
  /** The hidden file input. */
  input: HTMLInputElement;
  /** Opens the input. */
  button: HTMLElement;
  /** Ends the listening. */
  signal: AbortSignal;
  /** Whether the page takes a picture now. */
  isOpen(): boolean;
  /** Whether files are dragged over the page. */
  onDrag(isOver: boolean): void;
  onFile(file: File): void;
  /** Something without a file was dropped. */
  onNothing(): void;
}

/** Listens for pictures until `signal` fires. */
export function listenForPictures(options: PictureSourceOptions): void {
  const { input, button, signal, isOpen, onDrag, onFile, onNothing } = options;
  button.addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    // Choosing the same file again is a change, too.
    input.value = "";
    if (file) onFile(file);
  });
  document.addEventListener(
    "paste",
    (event) => {
      const [file] = event.clipboardData?.files ?? [];
      if (!file || !isOpen()) return;
      event.preventDefault();
      onFile(file);
    },
    { signal },
  );
  // Also where no picture is taken: a browser would leave the page and open the file.
  document.addEventListener(
    "dragover",
    (event) => {
      event.preventDefault();
      const isWelcome = isOpen() && (event.dataTransfer?.types.includes("Files") ?? false);
      if (event.dataTransfer) event.dataTransfer.dropEffect = isWelcome ? "copy" : "none";
      onDrag(isWelcome);
    },
    { signal },
  );
  document.addEventListener(
    "dragleave",
    (event) => {
      if (event.relatedTarget === null) onDrag(false);
    },
    { signal },
  );
  document.addEventListener(
    "drop",
    (event) => {
      event.preventDefault();
      onDrag(false);
      if (!isOpen()) return;
      const [file] = event.dataTransfer?.files ?? [];
      if (file) onFile(file);
      else onNothing();
    },
    { signal },
  );
}
