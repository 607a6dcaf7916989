// Work that takes a while and ends in a file: what it will make, its progress, and how to end it.
import { findElement } from "../shared/find-element.ts";
import { saveFile } from "../shared/save-file.ts";

/** What is about to be made. */
export interface Work {
  /** For the visitor, before it begins: what, and in which format. */
  plan: string;
  /** While it runs. */
  doing: string;
  /** Ends with `signal`'s reason when the visitor cancels. */
  run(signal: AbortSignal, onProgress: (share: number) => void): Promise<{ file: Blob; fileName: string }>;
}

/** One piece of work at a time; preparing another one ends what runs. */
export class WorkPanel {
  readonly #panel = findElement("work", HTMLElement);
  readonly #text = findElement("work-text", HTMLElement);
  readonly #progress = findElement("work-progress", HTMLProgressElement);
  readonly #start = findElement("work-start", HTMLButtonElement);
  readonly #cancel = findElement("work-cancel", HTMLButtonElement);
  readonly #describe: (error: unknown) => string;
  #work: Work | undefined;
  #current = new AbortController();

  /** `describe`: words for an error. */
  constructor(describe: (error: unknown) => string) {
    this.#describe = describe;
    this.#start.addEventListener("click", () => void this.#run());
    this.#cancel.addEventListener("click", () => this.close());
  }

  /** Finds out what can be made, then says so and waits for the visitor. `prepare` rejects if it cannot be made. */
  async open(prepare: () => Promise<Work>): Promise<void> {
    this.close();
    const { signal } = this.#current;
    this.#show("One moment", { canStart: false });
    try {
      const work = await prepare();
      if (signal.aborted) return;
      this.#work = work;
      this.#show(work.plan, { canStart: true });
      this.#start.focus();
    } catch (error) {
      if (!signal.aborted) this.#showProblem(error);
    }
  }

  /** Ends what runs and takes the panel away. */
  close(): void {
    this.#current.abort();
    this.#current = new AbortController();
    this.#work = undefined;
    this.#panel.hidden = true;
  }

  async #run(): Promise<void> {
    const work = this.#work;
    if (!work) return;
    const { signal } = this.#current;
    this.#show(work.doing, { canStart: false });
    this.#progress.hidden = false;
    this.#progress.value = 0;
    try {
      const { file, fileName } = await work.run(signal, (share) => {
        if (!signal.aborted) this.#progress.value = share;
      });
      if (signal.aborted) return;
      saveFile(file, fileName);
      this.#show(`Saved as ${fileName}, ${(file.size / 1e6).toFixed(1)} MB.`, { canStart: false, end: "Close" });
    } catch (error) {
      if (!signal.aborted) this.#showProblem(error);
    }
  }

  #show(text: string, { canStart, end = "Cancel" }: { canStart: boolean; end?: string }): void {
    this.#panel.hidden = false;
    delete this.#panel.dataset.wrong;
    this.#text.textContent = text;
    this.#progress.hidden = true;
    this.#start.hidden = !canStart;
    this.#cancel.textContent = end;
  }

  #showProblem(error: unknown): void {
    this.#show(this.#describe(error), { canStart: false, end: "Close" });
    this.#panel.dataset.wrong = "";
  }
}
