// The faces to try the page with: one of them lives on the stage until the visitor brings a picture.
import { fetchBytes } from "../../sdk/engine/tab/face/fetch-bytes.ts";
import { fetchSampleFaces, type SampleFace } from "../shared/sample-faces.ts";
import type { CreateContext } from "./create-context.ts";
import type { CreateFace } from "./create-face.ts";
import { SampleFacesView } from "./sample-faces-view.ts";

export interface SampleFlowOptions {
  /** The address of the start page. */
  base: URL;
  face: CreateFace;
  /** Whether the face stays a picture until a pointer moves or a key is pressed: what draws it is 50 KB of code
   *  and a model of 4 MB, and a view that was opened for something else needs neither. */
  isStillAtFirst: boolean;
  /** The visitor wants to talk with a face. */
  talk(sample: SampleFace): void;
}

const RETRY_MS = 5000;
/** Signs of a person, also by touch and by keyboard. */
const SIGNS = ["pointermove", "pointerdown", "keydown"] as const;

export class SampleFlow {
  readonly #context: CreateContext;
  readonly #options: SampleFlowOptions;
  readonly #view: SampleFacesView;
  readonly #hear: HTMLButtonElement;
  readonly #talk: HTMLButtonElement;
  #samples: readonly SampleFace[] = [];
  #current: SampleFace | undefined;
  #isOnStage = false;
  #isStill: boolean;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(context: CreateContext, options: SampleFlowOptions) {
    const { find } = context;
    this.#hear = find("hear", HTMLButtonElement);
    this.#talk = find("talk-sample", HTMLButtonElement);
    this.#context = context;
    this.#options = options;
    this.#isStill = options.isStillAtFirst;
    this.#view = new SampleFacesView(context, (id) => this.#choose(id));
    this.#hear.addEventListener("click", () => this.#say());
    this.#talk.addEventListener("click", () => this.#current && options.talk(this.#current));
    // The face itself can be pressed, too.
    find("stage", HTMLElement).addEventListener("click", (event) => {
      const isFace = event.target instanceof Element && event.target.closest(".stage-picture") !== null;
      if (isFace && this.#isOnStage) this.#say();
    });
    for (const sign of SIGNS) {
      if (this.#isStill) document.addEventListener(sign, () => this.#wake(), { once: true, signal: context.closed });
    }
  }

  /** Puts a face on the stage: the one that was there last. */
  async show(): Promise<void> {
    this.#isOnStage = true;
    if (this.#samples.length === 0) await this.#load();
    else this.#put(this.#current ?? this.#samples[0]);
  }

  /** Another face takes the stage. */
  leave(): void {
    this.#isOnStage = false;
  }

  /** Ends the tries to load them. Idempotent. */
  close(): void {
    this.#isOnStage = false;
    clearTimeout(this.#retry);
  }

  async #load(): Promise<void> {
    try {
      this.#samples = await fetchSampleFaces(this.#options.base);
    } catch {
      // The page can be used without them; the service may be starting again.
      this.#retry = setTimeout(() => void this.#load(), RETRY_MS);
      return;
    }
    if (this.#context.closed.aborted) return;
    this.#view.show(this.#samples);
    if (this.#isOnStage) this.#put(this.#samples[0]);
  }

  #choose(id: string): void {
    const sample = this.#samples.find((candidate) => candidate.id === id);
    if (!sample) return;
    if (sample !== this.#current) this.#put(sample);
    this.#say();
  }

  #put(sample: SampleFace | undefined): void {
    if (!sample) return;
    this.#current = sample;
    this.#view.showChosen(sample.id);
    this.#hear.hidden = this.#talk.hidden = false;
    this.#hear.textContent = this.#context.texts.empty.hear(sample.name);
    this.#talk.textContent = this.#context.texts.empty.talk(sample.name);
    const { name, poster, ratio } = sample;
    const { face } = this.#options;
    const hint = this.#context.texts.stage.tapToHear;
    if (this.#isStill) void face.showPicture(poster, name, { ratio, hint });
    // Where it cannot be rendered its picture stays, and its line is heard all the same.
    else face.show({ name, poster, ratio, hint, bundle: () => fetchBytes(sample.bundle) }).catch(() => undefined);
  }

  #wake(): void {
    if (!this.#isStill) return;
    this.#isStill = false;
    if (this.#isOnStage) this.#put(this.#current);
  }

  #say(): void {
    const speech = this.#current?.speech;
    if (speech === undefined) return;
    const recording = fetchBytes(speech).then(({ buffer }) => buffer as ArrayBuffer);
    // Without a connection nothing is heard; the next press tries again.
    this.#options.face.speak(recording).catch(() => undefined);
  }
}
