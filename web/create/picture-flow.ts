// From a file to a face that moves in this tab: nothing is sent on the way.
import type { FoundFaces, PictureEdit, Turn } from "../../sdk/engine/tab/bake/bake-messages.ts";
import { TabBakeError } from "../../sdk/engine/tab/bake/tab-bake-error.ts";
import { TabBaker } from "../../sdk/engine/tab/bake/tab-baker.ts";
import { CANVAS_SIZES } from "../../src/face/figure/canvas-sizes.ts";
import type { Shape } from "./agent-client.ts";
import type { CreateContext } from "./create-context.ts";
import type { DraftPicture } from "./create-draft.ts";
import type { CreateFace } from "./create-face.ts";
import type { CreateState } from "./create-state.ts";
import { Framer } from "./framer.ts";
import { type Picture, preparePicture } from "./prepare-picture.ts";
import type { CreateTexts } from "./texts/load-create-texts.ts";

export interface PictureFlowOptions {
  face: CreateFace;
  show(state: CreateState, title?: string): void;
  /** The shape that is chosen now. */
  shape(): Shape;
  /** What there is to know about the picture, where the visitor chooses a voice. */
  showNote(text: string): void;
  /** The visitor wants to mark the face of the picture. */
  markFace(): void;
}

/** Flaws for which a person who marks the face is the best help. */
const MARKABLE = ["no-face", "unsure"];
/** A head that leans less is left alone: people tilt their heads. */
const LEANING_DEG = 6;

/** One picture at a time. */
export class PictureFlow {
  readonly #texts: CreateTexts;
  readonly #options: PictureFlowOptions;
  readonly #baker = new TabBaker();
  readonly #framer: Framer;
  readonly #hint: HTMLElement;
  readonly #straighten: HTMLButtonElement;
  readonly #use: HTMLButtonElement;
  readonly #mark: HTMLButtonElement;
  readonly #another: HTMLButtonElement;
  #picture: Picture | undefined;
  #edit: PictureEdit = {};
  #found: FoundFaces | undefined;
  #poster: string | undefined;
  /** Ends what runs when the visitor turns to something else. */
  #current = new AbortController();

  constructor(context: CreateContext, options: PictureFlowOptions) {
    const { find } = context;
    this.#hint = find("framing-hint", HTMLElement);
    this.#straighten = find("straighten", HTMLButtonElement);
    this.#use = find("framing-use", HTMLButtonElement);
    this.#mark = find("framing-mark", HTMLButtonElement);
    this.#another = find("framing-another", HTMLButtonElement);
    this.#texts = context.texts;
    this.#options = options;
    this.#framer = new Framer(context, {
      choose: (index) => void this.#find({ ...this.#found?.edit, crop: this.#found?.faces[index]?.surroundings }),
      cropped: () => this.#showButtons(),
    });
    find("turn-left", HTMLButtonElement).addEventListener("click", () => void this.#turn(-90));
    find("turn-right", HTMLButtonElement).addEventListener("click", () => void this.#turn(90));
    this.#straighten.addEventListener("click", () => void this.#level());
    this.#use.addEventListener("click", () => void this.#useFrame());
    this.#mark.addEventListener("click", () => options.markFace());
  }

  /** Whether there is a picture. */
  get hasPicture(): boolean {
    return this.#picture !== undefined;
  }

  /** A picture is about to come: what finds and bakes a face is fetched. */
  prepare(): void {
    this.#baker.prepare();
  }

  /** Begins with a file. Throws PictureError for one that is no picture; then all stays as it was. */
  async take(file: File): Promise<void> {
    const prepared = await preparePicture(file, this.#texts.picture);
    this.#forget();
    this.#picture = prepared;
    await this.#find({});
  }

  /** The picture as it is now; undefined if there is none. */
  get draft(): DraftPicture | undefined {
    return this.#picture && { blob: this.#picture.blob, edit: this.#edit };
  }

  /** Goes on with a picture of a flow that was closed. `isFraming`: with its part. */
  async resume({ blob, edit }: DraftPicture, options: { isFraming: boolean }): Promise<void> {
    this.#forget();
    this.#picture = { blob, url: URL.createObjectURL(blob) };
    this.#options.show("finding");
    void this.#options.face.showPicture(this.#picture.url, "");
    await this.#find(edit, options);
  }

  /** Leads back to the whole picture. */
  async frame(): Promise<void> {
    await this.#find({ turn: this.#edit.turn }, { isFraming: true });
  }

  /** Bakes the face again, in another shape. */
  async reshape(): Promise<void> {
    if (this.#found && !this.#found.flaw) await this.#wake(this.#begin());
  }

  /** The picture for the service: what the face in this tab was made of. */
  async forService(): Promise<Blob> {
    if (!this.#picture) throw new Error("there is no picture");
    return this.#found ? this.#baker.picture() : this.#picture.blob;
  }

  /** Ends what runs, and gives all memory back. Idempotent. */
  close(): void {
    this.drop();
    this.#baker.close();
  }

  /** Ends what runs, and drops the picture. */
  drop(): void {
    this.#forget();
    this.#picture = undefined;
  }

  #forget(): void {
    this.#current.abort();
    for (const url of [this.#picture?.url, this.#poster]) if (url !== undefined) URL.revokeObjectURL(url);
    this.#poster = this.#found = undefined;
    this.#edit = {};
  }

  #begin(): AbortSignal {
    this.#current.abort();
    this.#current = new AbortController();
    return this.#current.signal;
  }

  async #turn(degrees: 90 | -90): Promise<void> {
    const turn = (((this.#found?.edit.turn ?? 0) + degrees + 360) % 360) as Turn;
    await this.#find({ turn }, { isFraming: true });
  }

  /** Turns the picture so that the head of its largest face stands upright. */
  async #level(): Promise<void> {
    const { turn, straightenDeg = 0 } = this.#edit;
    const leaningDeg = this.#found?.faces[0]?.tiltDeg ?? 0;
    await this.#find({ turn, straightenDeg: straightenDeg + leaningDeg }, { isFraming: true });
  }

  async #useFrame(): Promise<void> {
    const { crop } = this.#framer;
    if (crop) await this.#find({ ...this.#found?.edit, crop });
    else if (this.#found && !this.#found.flaw) await this.#wake(this.#begin());
  }

  /** Looks for faces in the picture. `isFraming`: the visitor wants to see what was found in any case. */
  async #find(edit: PictureEdit, { isFraming = false } = {}): Promise<void> {
    const picture = this.#picture;
    if (!picture) return;
    const signal = this.#begin();
    if (!isFraming) {
      this.#options.show("finding");
      void this.#options.face.showPicture(picture.url, "");
    }
    try {
      const found = await this.#baker.findFaces(picture.blob, { ...edit, signal });
      this.#found = found;
      this.#edit = found.edit;
      if (found.flaw || isFraming) await this.#showFrame(found, signal);
      else await this.#wake(signal);
    } catch (error) {
      if (!signal.aborted) this.#goOnWithout(error);
    }
  }

  async #wake(signal: AbortSignal): Promise<void> {
    const { face, show, shape, showNote } = this.#options;
    show("waking");
    try {
      const [{ imx, notes }, { posterOf }] = await Promise.all([
        this.#baker.bake({ face: 0 }, { canvas: CANVAS_SIZES[shape()], signal }),
        import("../../sdk/engine/tab/face/poster-of.ts"),
      ]);
      const poster = await posterOf(imx);
      signal.throwIfAborted();
      if (this.#poster !== undefined) URL.revokeObjectURL(this.#poster);
      this.#poster = poster;
      const { bakeNotes, order } = this.#texts;
      const isDark = this.#found?.faces[0]?.hint?.kind === "too-dark";
      const inWords = notes.map((note) => bakeNotes[note](shape()));
      showNote([order.moves, isDark && order.dark, ...inWords].filter(Boolean).join(" "));
      show("chosen");
      await face.show({ name: "", poster, bundle: async () => imx });
    } catch (error) {
      if (!signal.aborted) this.#goOnWithout(error);
    }
  }

  /** The service can still make the face. */
  #goOnWithout(error: unknown): void {
    if (!(error instanceof TabBakeError)) console.error(error);
    const { bakeProblems, serviceCanMake } = this.#texts;
    const reason = bakeProblems[error instanceof TabBakeError ? error.code : "failed"];
    this.#options.showNote(serviceCanMake(reason));
    this.#options.show("chosen");
  }

  async #showFrame({ faces, flaw }: FoundFaces, signal: AbortSignal): Promise<void> {
    const shown = await createImageBitmap(await this.#baker.picture({ signal }));
    signal.throwIfAborted();
    const boxes = faces.map(({ box }) => box);
    this.#framer.show(shown, boxes, flaw ? undefined : 0);
    shown.close();
    const { flaws, framing, titles } = this.#texts;
    const chooses = flaw?.kind === "several";
    this.#hint.textContent = flaw ? (chooses ? framing.choose : flaws[flaw.kind]) : framing.hint;
    this.#straighten.hidden = Math.abs(faces[0]?.tiltDeg ?? 0) < LEANING_DEG;
    this.#showButtons();
    const title = chooses ? titles.several : flaw?.kind === "no-face" ? titles.noFace : undefined;
    this.#options.show("framing", title);
  }

  /** The button that helps most is the filled one. */
  #showButtons(): void {
    const flaw = this.#found?.flaw;
    const canUse = this.#framer.crop !== undefined || !flaw;
    const canMark = flaw !== null && flaw !== undefined && MARKABLE.includes(flaw.kind);
    this.#use.hidden = !canUse;
    this.#use.textContent = this.#framer.crop ? this.#texts.framing.usePart : this.#texts.framing.useFace;
    this.#mark.hidden = !canMark;
    const isChoice = flaw?.kind === "several";
    const first = canUse ? this.#use : canMark ? this.#mark : isChoice ? undefined : this.#another;
    for (const button of [this.#use, this.#mark, this.#another]) button.classList.toggle("main", button === first);
  }
}
