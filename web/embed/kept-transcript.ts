// The words of a conversation: shown while it lasts, and kept for the visitor when it has ended.
import { copyText } from "../shared/copy-text.ts";
import { saveFile } from "../shared/save-file.ts";
import type { StageAction } from "../shared/stage/stage.ts";
import { conversationText } from "./conversation-summary.ts";
import type { EmbedTexts } from "./texts/load-embed-texts.ts";
import { EMPTY_TRANSCRIPT, type SpokenWords, type Transcript, withoutInterim, withWords } from "./transcript.ts";
import { TranscriptView } from "./transcript-view.ts";

/** What the visitor was saying leaves the page after this long without another word of it, ms: it was no word. */
const INTERIM_MS = 6_000;

export class KeptTranscript {
  readonly #texts: EmbedTexts;
  readonly #say: (text: string) => void;
  readonly #view: TranscriptView;
  #transcript: Transcript = EMPTY_TRANSCRIPT;
  #avatarName = "Avatar";
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `say` shows what became of an action. */
  constructor(texts: EmbedTexts, { say }: { say: (text: string) => void }) {
    this.#texts = texts;
    this.#say = say;
    this.#view = new TranscriptView(texts.transcript.you);
  }

  setName(avatarName: string): void {
    this.#avatarName = avatarName;
    this.#view.setName(avatarName);
  }

  add(words: SpokenWords): void {
    this.#show(withWords(this.#transcript, words));
  }

  /** What the visitor was saying will not go on. */
  dropInterim(): void {
    this.#show(withoutInterim(this.#transcript));
  }

  /** What can be done with the words; none without words. */
  actions(): StageAction[] {
    const { lines } = this.#transcript;
    if (lines.length === 0) return [];
    const { copy, copied, notCopied, save, fileName } = this.#texts.transcript;
    const text = () => conversationText(this.#texts, lines, this.#avatarName, new Date());
    return [
      { label: copy, act: () => void copyText(text()).then((isCopied) => this.#say(isCopied ? copied : notCopied)) },
      { label: save, act: () => saveFile(new Blob([text()], { type: "text/plain" }), fileName) },
    ];
  }

  #show(next: Transcript): void {
    if (next === this.#transcript) return;
    this.#transcript = next;
    this.#view.show(next);
    clearTimeout(this.#timer);
    if (next.interim !== "") this.#timer = setTimeout(() => this.dropInterim(), INTERIM_MS);
  }
}
