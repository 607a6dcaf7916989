// The elements of the page, and input by mouse, key or drop.
import type { Metrics } from "../../sdk/engine/tab/face/face-player.ts";
import {
  type Expression,
  type ExpressionName,
  expressionOf,
  NEUTRAL,
  parseExpression,
} from "../../shared/expressions.ts";
import { findElement } from "../shared/find-element.ts";
import { type MoodTexts, showMoodChips } from "../shared/mood-chips.ts";
import type { SampleFace } from "../shared/sample-faces.ts";
import { Stage } from "../shared/stage/stage.ts";

/** What the visitor can do. */
export interface LocalActions {
  hear(): void;
  chooseSample(sample: SampleFace): void;
  openBundle(file: File): void;
  takePhotograph(file: File): void;
  playAudio(file: File): void;
  setMicrophone(isOn: boolean): void;
  stop(): void;
  say(line: string): void;
  film(): void;
  save(): void;
  express(mood: Expression): void;
  /** A photograph is about to come. */
  prepare(): void;
}

const MOODS: MoodTexts = {
  group: "Mood",
  neutral: "Neutral",
  happy: "Happy",
  sad: "Sad",
  angry: "Angry",
  surprised: "Surprised",
  afraid: "Afraid",
  disgusted: "Disgusted",
  content: "Content",
};
const BUNDLE_NAME = /\.imx$/i;

export class LocalView {
  readonly stage: Stage;
  readonly #room = findElement("room", HTMLElement);
  readonly #samples = findElement("samples", HTMLElement);
  readonly #microphone = findElement("microphone", HTMLButtonElement);
  readonly #metrics = findElement("metrics", HTMLElement);
  readonly #text = findElement("text", HTMLInputElement);
  readonly #actions: LocalActions;

  constructor(actions: LocalActions) {
    this.#actions = actions;
    this.stage = new Stage({
      host: this.#room,
      heading: 1,
      face: document.createElement("canvas"),
      actions: findElement("actions", HTMLElement),
      transcript: findElement("desk", HTMLElement),
      composer: findElement("say", HTMLFormElement),
    });
    this.stage.setTranscript("open");
    const photograph = this.#button("photograph", () => findElement("picture-file", HTMLInputElement).click());
    photograph.addEventListener("pointerenter", () => actions.prepare());
    photograph.addEventListener("focus", () => actions.prepare());
    this.#button("open", () => findElement("bundle-file", HTMLInputElement).click());
    this.#button("audio", () => findElement("audio-file", HTMLInputElement).click());
    takeFile("picture-file", actions.takePhotograph);
    takeFile("bundle-file", actions.openBundle);
    takeFile("audio-file", actions.playAudio);
    this.#button("hear", actions.hear);
    this.#button("stop", actions.stop);
    this.#button("film", actions.film);
    this.#button("save", actions.save);
    this.#button("microphone", () => actions.setMicrophone(this.#microphone.getAttribute("aria-pressed") !== "true"));
    findElement("say", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      const line = this.#text.value.trim();
      if (line !== "") actions.say(line);
    });
    this.#takeKeys();
    this.#takeDrops();
  }

  /** Moods to press, one of which the page may begin with. Once. */
  offerMoods(): void {
    const setMood = (emotion: ExpressionName | null): true => {
      this.#actions.express(emotion === null ? NEUTRAL : expressionOf(emotion));
      return true;
    };
    const showMood = showMoodChips(findElement("moods", HTMLElement), setMood, MOODS);
    const { emotion } = this.#room.dataset;
    if (emotion === undefined) return;
    const mood = parseExpression(emotion);
    this.#actions.express(mood);
    showMood(mood.emotion);
  }

  /** One alone is on the stage already. */
  showSamples(samples: readonly SampleFace[]): void {
    this.#samples.hidden = samples.length < 2;
    this.#samples.replaceChildren(
      ...samples.map((sample) => {
        const button = document.createElement("button");
        button.type = "button";
        button.dataset.id = sample.id;
        button.setAttribute("aria-label", sample.name);
        button.setAttribute("aria-pressed", "false");
        const picture = document.createElement("img");
        picture.alt = "";
        picture.src = sample.poster;
        button.append(picture);
        button.addEventListener("click", () => this.#actions.chooseSample(sample));
        return button;
      }),
    );
  }

  /** Marks the sample that is on the stage; undefined for none. */
  showChosen(id: string | undefined): void {
    for (const button of this.#samples.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(button.dataset.id === id));
  }

  showMetrics({ fps, renderMs, lipSyncMs, lateSteps }: Metrics): void {
    const late = lateSteps > 0 ? ` · ${lateSteps} late` : "";
    this.#metrics.textContent = `${fps.toFixed(0)} fps · rendering ${renderMs.toFixed(1)} ms · lip sync ${lipSyncMs.toFixed(1)} ms${late}`;
  }

  /** Empties the line once it is said. */
  clearLine(): void {
    this.#text.value = "";
  }

  setMicrophonePressed(isOn: boolean): void {
    this.#microphone.setAttribute("aria-pressed", String(isOn));
  }

  #button(id: string, act: () => void): HTMLButtonElement {
    const button = findElement(id, HTMLButtonElement);
    button.addEventListener("click", act);
    return button;
  }

  /** The keys that the buttons name. */
  #takeKeys(): void {
    const buttons = new Map(
      [...document.querySelectorAll<HTMLButtonElement>("button[aria-keyshortcuts]")].map((button) => [
        button.getAttribute("aria-keyshortcuts"),
        button,
      ]),
    );
    document.addEventListener("keydown", ({ key, target, ctrlKey, metaKey, altKey, repeat }) => {
      const isTyping = target instanceof HTMLInputElement && key !== "Escape";
      if (!ctrlKey && !metaKey && !altKey && !repeat && !isTyping) buttons.get(key)?.click();
    });
  }

  /** Anywhere on the page: a file dropped beside the face would otherwise replace the page. */
  #takeDrops(): void {
    document.addEventListener("dragover", (event) => {
      event.preventDefault();
      if (this.#room.dataset.dragged === undefined) this.#actions.prepare();
      this.#room.dataset.dragged = "";
    });
    document.addEventListener("dragleave", ({ relatedTarget }) => {
      if (relatedTarget === null) delete this.#room.dataset.dragged;
    });
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      delete this.#room.dataset.dragged;
      this.#take(event.dataTransfer?.files[0]);
    });
    document.addEventListener("paste", ({ clipboardData }) => this.#take(clipboardData?.files[0]));
  }

  #take(file: File | undefined): void {
    if (!file) return;
    if (BUNDLE_NAME.test(file.name)) this.#actions.openBundle(file);
    else if (file.type.startsWith("audio/") || file.type.startsWith("video/")) this.#actions.playAudio(file);
    else this.#actions.takePhotograph(file);
  }
}

function takeFile(id: string, act: (file: File) => void): void {
  const input = findElement(id, HTMLInputElement);
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    // So that choosing the same file again fires a change event.
    input.value = "";
    if (file) act(file);
  });
}
