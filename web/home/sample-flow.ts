// The faces to try the page with: one of them lives on the stage until the visitor brings a picture.
import { fetchBytes } from "../../sdk/engine/tab/face/fetch-bytes.ts";
import { findElement } from "../shared/find-element.ts";
import { fetchSampleFaces, type SampleFace } from "../shared/sample-faces.ts";
import type { HomeFace } from "./home-face.ts";
import { SampleFacesView } from "./sample-faces-view.ts";

export interface SampleFlowOptions {
  /** The address of the start page. */
  base: URL;
  face: HomeFace;
  /** The visitor wants to talk with a face. */
  talk(sample: SampleFace): void;
}

const RETRY_MS = 5000;
const TAP = "Tap to hear";

export class SampleFlow {
  readonly #options: SampleFlowOptions;
  readonly #view = new SampleFacesView((id) => this.#choose(id));
  readonly #hear = findElement("hear", HTMLButtonElement);
  readonly #talk = findElement("talk-sample", HTMLButtonElement);
  #samples: readonly SampleFace[] = [];
  #current: SampleFace | undefined;
  #isOnStage = false;

  constructor(options: SampleFlowOptions) {
    this.#options = options;
    this.#hear.addEventListener("click", () => this.#say());
    this.#talk.addEventListener("click", () => this.#current && options.talk(this.#current));
    // The face itself can be pressed, too.
    findElement("stage", HTMLElement).addEventListener("click", (event) => {
      const isFace = event.target instanceof Element && event.target.closest(".stage-picture") !== null;
      if (isFace && this.#isOnStage) this.#say();
    });
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

  async #load(): Promise<void> {
    try {
      this.#samples = await fetchSampleFaces(this.#options.base);
    } catch {
      // The page can be used without them; the service may be starting again.
      setTimeout(() => void this.#load(), RETRY_MS);
      return;
    }
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
    this.#hear.textContent = `Hear ${sample.name}`;
    this.#talk.textContent = `Talk with ${sample.name}`;
    const { name, poster, ratio } = sample;
    // Where it cannot be rendered its picture stays, and its line is heard all the same.
    this.#options.face
      .show({ name, poster, ratio, hint: TAP, bundle: () => fetchBytes(sample.bundle) })
      .catch(() => undefined);
  }

  #say(): void {
    const speech = this.#current?.speech;
    if (speech === undefined) return;
    const recording = fetchBytes(speech).then(({ buffer }) => buffer as ArrayBuffer);
    // Without a connection nothing is heard; the next press tries again.
    this.#options.face.speak(recording).catch(() => undefined);
  }
}
