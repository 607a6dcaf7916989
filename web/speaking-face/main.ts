// The page that a host of an assistant shows for show_agent_speaking: a face that says a text. It loads nothing; what
// it needs comes from the host's server through tools.
import { AvatarFaceElement } from "../../sdk/face/avatar-face-element.ts";
import { pageAudio } from "../../sdk/face/page-audio.ts";
import { canShowFilms } from "./can-show-films.ts";
import { FilmSpeaker } from "./film-speaker.ts";
import { type HostContext, HostError, HostLink, type ToolResult } from "./host-link.ts";
import { openPoster } from "./poster-speaker.ts";
import { canRender, openRendered } from "./rendered-speaker.ts";
import type { Speaker, SpeakerPlace } from "./speaker.ts";
import { type SpeakingOrder, toSpeakingOrder } from "./speaking-order.ts";
import { SpeakingView } from "./speaking-view.ts";
import { SoundBlocked } from "./speech-sound.ts";
import { speakingTexts } from "./texts/speaking-texts.ts";

/** Longest wait for the result of the tool, ms: what a call may take. */
const RESULT_MS = 150_000;

let { language, texts } = speakingTexts(undefined, navigator.languages);
const view = new SpeakingView(() => void press());
const link = new HostLink(window.parent, {
  onContext: follow,
  onInput({ text }) {
    if (typeof text === "string") view.showWords(text);
  },
  onResult: take,
  onCancelled: () => giveUp(new HostError("CANCELLED")),
  onClose: close,
});
const at: SpeakerPlace = { place: view.face, onProgress: (share) => view.setProgress(share) };
let order: SpeakingOrder | undefined;
let speaker: Speaker | undefined;
let isSpeaking = false;
/** Whether there is a result, or why there is none. */
let isTaken = false;

view.showTexts(texts, language);
customElements.define("avatar-face", AvatarFaceElement);
tellSize();
void greet();

async function greet(): Promise<void> {
  try {
    await link.open();
  } catch (error) {
    fail(error);
    return;
  }
  setTimeout(() => giveUp(new HostError("NOTHING_SENT")), RESULT_MS);
}

/** The first result. */
function take(result: ToolResult): void {
  if (isTaken) return;
  isTaken = true;
  try {
    order = toSpeakingOrder(result);
  } catch (error) {
    fail(error);
    return;
  }
  view.setName(order.name);
  view.showPoster(order.poster, texts.pictureOf(order.name));
  view.showWords(order.text);
  void prepare(order);
}

/** There is no result. */
function giveUp(reason: HostError): void {
  if (isTaken) return;
  isTaken = true;
  fail(reason);
}

/** Opens the best way that works here: the face, a film, the picture with sound. */
async function prepare(order: SpeakingOrder): Promise<void> {
  view.setState("loading", texts.loading);
  view.showNotice("");
  view.setLabel(false);
  if (canRender()) {
    try {
      offer(await openRendered(link, order, at), "face");
      return;
    } catch (error) {
      // What could not be fetched may come at the next try.
      if (error instanceof HostError) {
        fail(error);
        return;
      }
      // The policy forbids something that the face needs, or its file is of another version.
    }
  }
  return prepareFilm(order);
}

async function prepareFilm(order: SpeakingOrder): Promise<void> {
  view.setState("loading", texts.loading);
  view.setLabel(true);
  if (order.filmCredits === null || !(await canShowFilms())) return preparePoster(order);
  offer(new FilmSpeaker(link, order, { ...at, label: texts.filmOf(order.name) }), "film");
}

async function preparePoster(order: SpeakingOrder, notice = ""): Promise<void> {
  view.setState("loading", texts.loading);
  view.setProgress(undefined);
  try {
    offer(await openPoster(link, order, at), "poster");
    view.showNotice(notice || texts.voiceOnly);
  } catch (error) {
    view.setWay("poster");
    fail(error);
  }
}

function offer(opened: Speaker, way: "face" | "film" | "poster"): void {
  speaker = opened;
  view.setWay(way);
  view.setState("ready", labelOf(opened));
  view.showNotice(way === "film" ? texts.filmInstead : "");
}

function labelOf(opened: Speaker): string {
  if (!(opened instanceof FilmSpeaker) || opened.isMade) return texts.speak;
  const credits = order?.filmCredits ?? 0;
  return credits === 0 ? texts.makeFilm : texts.makeFilmFor(credits);
}

/** The button: speaks, stops, or tries again. */
async function press(): Promise<void> {
  const now = speaker;
  if (!order || view.state === "loading") return;
  if (!now) return prepare(order);
  if (isSpeaking) {
    now.stop();
    return;
  }
  isSpeaking = true;
  view.showNotice("");
  if (now instanceof FilmSpeaker && !now.isMade) {
    view.setState("loading", texts.makingFilm);
    view.setProgress(undefined);
  } else view.setState("speaking", texts.stop);
  try {
    const spoken = now.play();
    if (now instanceof FilmSpeaker) now.onPlaying = () => view.setState("speaking", texts.stop);
    await spoken;
    view.setState("finished", texts.again);
  } catch (error) {
    await recover(now, order, error);
  } finally {
    isSpeaking = false;
  }
}

async function recover(failed: Speaker, order: SpeakingOrder, error: unknown): Promise<void> {
  if (error instanceof SoundBlocked) {
    view.setState("blocked", texts.playWithSound);
    view.showNotice(texts.soundBlocked);
    return;
  }
  failed.close();
  speaker = undefined;
  if (failed instanceof FilmSpeaker) {
    const why = error instanceof HostError ? error.textIn(texts) : texts.noFilmHere;
    return preparePoster(order, texts.voiceAfter(/[.!?]$/.test(why) ? why : `${why}.`));
  }
  return prepareFilm(order);
}

function fail(error: unknown): void {
  view.setState("failed", order ? texts.tryAgain : "");
  view.showNotice(error instanceof HostError ? error.textIn(texts) : texts.notHere);
  speaker = undefined;
}

/** A change tells only what has changed. */
function follow({ theme, locale }: HostContext): void {
  if (locale !== undefined) {
    ({ language, texts } = speakingTexts(locale, navigator.languages));
    view.showTexts(texts, language);
  }
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}

/** The frame is as high as the page. */
function tellSize(): void {
  const root = document.body;
  let told = 0;
  new ResizeObserver(() => {
    const height = Math.ceil(root.getBoundingClientRect().height);
    if (height === told) return;
    told = height;
    link.tellSize(Math.ceil(root.getBoundingClientRect().width), height);
  }).observe(root);
}

function close(): void {
  speaker?.close();
  speaker = undefined;
  void pageAudio().suspend();
}
