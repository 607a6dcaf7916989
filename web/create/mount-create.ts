// The flow: a visitor gives a photograph, it comes to life in this tab, and then the service lets it talk.
import { fetchBytes } from "../../sdk/engine/tab/face/fetch-bytes.ts";
import { Access } from "../shared/access.ts";
import { findWithin } from "../shared/find-element.ts";
import { showGestureChips } from "../shared/gesture-chips.ts";
import { inLanguage } from "../shared/in-language.ts";
import type { Language } from "../shared/languages.ts";
import { showMoodChips } from "../shared/mood-chips.ts";
import { fetchPortrait, type SampleFace } from "../shared/sample-faces.ts";
import { Stage } from "../shared/stage/stage.ts";
import { openTabStorage } from "../shared/tab-storage.ts";
import { AccessView } from "./access-view.ts";
import { AgentClient, type AgentStatus, type OrderKind } from "./agent-client.ts";
import { AgentFlow } from "./agent-flow.ts";
import { Camera } from "./camera.ts";
import { ChangeView } from "./change-view.ts";
import type { CreateAccess } from "./create-access.ts";
import type { CreateContext } from "./create-context.ts";
import type { CreateDraft } from "./create-draft.ts";
import { CreateFace } from "./create-face.ts";
import { createMarkup } from "./create-markup.ts";
import { TAKES_PICTURES } from "./create-state.ts";
import { CreateView } from "./create-view.ts";
import { DescribeView } from "./describe-view.ts";
import { KeptOrder } from "./kept-order.ts";
import { KeptPage } from "./kept-page.ts";
import { listenForPictures } from "./listen-for-pictures.ts";
import { agentCode, frameCode } from "./next-steps.ts";
import { NextView } from "./next-view.ts";
import { type Choices, OrderView } from "./order-view.ts";
import { OwnAvatars } from "./own-avatars.ts";
import { PictureFlow } from "./picture-flow.ts";
import { Prices } from "./prices.ts";
import { SampleFlow } from "./sample-flow.ts";
import { TalkingView } from "./talking-view.ts";
import type { CreateTexts } from "./texts/load-create-texts.ts";
import { voiceChoices } from "./voices.ts";

/** Where the console leads from here. */
export interface ConsolePlaces {
  agentUrl(code: string): string;
  talkUrl(code: string): string;
  /** Goes to one of these addresses. */
  go(url: string): void;
  /** The session has ended. */
  onSignedOut(): void;
}

export interface CreateOptions {
  /** Address of the start page, with a slash at the end: everything of the service lies below it. */
  base: URL;
  language: Language;
  texts: CreateTexts;
  /** An `Access` lets the visitor paste a secret when the service requires one. */
  access: Access | (CreateAccess & { readonly kind: "session" });
  /** Only in the console. */
  places?: ConsolePlaces;
  /** What a flow that was closed left. */
  draft?: CreateDraft;
}

export interface MountedCreate {
  /** Ends camera, audio, workers and sessions, and empties the host. An agent that is being made is made all the same,
   *  and found again by the next mount in this tab. Returns what was not ordered; undefined if there is nothing, and
   *  when it is closed again. */
  close(): CreateDraft | undefined;
}

/** Of the styles. */
const HOST_CLASS = "create-host";
/** The agent's code is in the fragment, so that the flow finds it again when the page is loaded again. */
const FRAGMENT = /^#agent=([A-Za-z0-9_-]{3,64})$/;
/** For how long links work. A frame on a site that should last needs tokens of the site's own server. */
const SHARED_DAYS = 7;
const FRAMED_DAYS = 90;

/** Writes the flow into `host` and runs it until it is closed. */
export function mountCreate(host: HTMLElement, options: CreateOptions): MountedCreate {
  const { base, language, texts, access, places, draft } = options;
  const isConsole = places !== undefined;
  host.classList.add(HOST_CLASS);
  host.innerHTML = createMarkup({ texts, language, base, isConsole });
  const end = new AbortController();
  const find = findWithin(host);
  const context: CreateContext = {
    find,
    texts,
    number: (value, places = 0) => new Intl.NumberFormat(language, { maximumFractionDigits: places }).format(value),
    closed: end.signal,
  };
  const storage = openTabStorage(() => sessionStorage);
  /** A pasted secret or the page's own token; undefined with a session. */
  const pasted = access instanceof Access ? access : undefined;
  const client = new AgentClient(base, access, texts.service);
  const keptPage = new KeptPage({ storage });
  const kept = new KeptOrder(storage);
  const prices = new Prices(context, {
    client,
    access: () => ({
      hasPrices: access.kind !== "none",
      hasBalance: access.kind === "secret" || access.kind === "session",
    }),
    show: (id, text, isTooLittle) => {
      const place = find(id, HTMLElement);
      place.textContent = text;
      place.classList.toggle("wrong", isTooLittle);
    },
  });

  const view = new CreateView(context, (state) => {
    if (state !== "empty") samples.leave();
  });
  const stage = new Stage({
    host: find("stage", HTMLElement),
    face: document.createElement("canvas"),
    actions: find("tab-chips", HTMLElement),
    texts: texts.stage,
  });
  const face = new CreateFace(stage);
  const samples = new SampleFlow(context, {
    base,
    face,
    isStillAtFirst: isConsole,
    talk: (sample) => void agents.make(orderOfSample(sample)),
  });
  const order = new OrderView(context, {
    hear: (voice) => void hear(voice, (problem) => order.showProblem(problem)),
    make: (choices) => void agents.make(orderOfPicture(choices)),
    shape: () => void pictures.reshape(),
  });
  const describing = new DescribeView(context, {
    hear: (voice) => void hear(voice, (problem) => view.say(problem)),
    make: (choices) => void agents.make({ ...choices, kind: "photograph" }),
    back: () => void another(),
  });
  const pictures = new PictureFlow(context, {
    face,
    show: (state, title) => view.show(state, title),
    shape: () => order.shape,
    showNote: (text) => {
      setKind("photograph");
      order.showNote(text);
    },
    markFace,
  });
  const agents = new AgentFlow(context, {
    client,
    prices,
    view,
    kept,
    askForAccess,
    frame: () => void pictures.frame(),
    change: () => void back(),
    hasPicture: () => pictures.hasPicture,
    showPicture: (url, name) => void face.showPicture(url, name),
    onAccepted: (code) => {
      void prepareTalk(code);
      void prices.refresh();
    },
    onReady: talk,
    topUpUrl: new URL("account/credits", base).href,
  });
  const accessView = new AccessView(context, {
    use: (secret, isKept) => void useSecret(secret, isKept),
    back: () => void back(),
    forget: forgetSecret,
  });
  const camera = new Camera(context, (file) => void take(file));
  const talking = new TalkingView(context, {
    live: () => {
      agents.finish();
      void face.close();
    },
    spoke: () => next.reveal(),
    link: () => client.shortLink(current.code, SHARED_DAYS),
  });
  const next = new NextView(context, {
    frameCode: async () => frameCode(await client.shortLink(current.code, FRAMED_DAYS), current.name),
    agentCode: () => agentCode(current.code, base.href.replace(/\/$/, "")),
    film: (text) => client.film(current.code, current.model, text),
  });
  const change = new ChangeView(context, {
    hear: (voice) => void hear(voice, (problem) => talking.showProblem(problem)),
    save: (changed) => client.change(current.code, changed),
    delete: () => void deleteCurrent(),
  });
  const own = new OwnAvatars(context, {
    client,
    open: (code) => void leave().then(() => agents.open(code)),
    onDeleted: (code) => code === agents.code && void another(),
  });

  /** The avatar that talks. */
  let current: AgentStatus;
  /** How the picture is sent: `any` lets its owner mark the face. */
  let kind: OrderKind = "photograph";
  /** What the visitor wanted when the service required a secret. */
  let goOn: (() => void) | undefined;

  listenForPictures({
    input: find("file", HTMLInputElement),
    button: find("choose", HTMLElement),
    signal: end.signal,
    isOpen: () => TAKES_PICTURES.includes(view.state),
    onDrag: (isOver) => {
      view.showDrag(isOver);
      if (isOver) pictures.prepare();
    },
    onFile: (file) => void take(file),
    onNothing: () => view.showPictureProblem(texts.empty.notAFile),
  });
  for (const way of ["pointerenter", "focusin"]) find("drop", HTMLElement).addEventListener(way, prepareOnce);
  for (const button of host.querySelectorAll(".another")) button.addEventListener("click", () => void another());
  find("camera", HTMLButtonElement).addEventListener("click", () => {
    view.showPictureProblem("");
    pictures.prepare();
    void camera.open();
  });
  find("describe-open", HTMLButtonElement).addEventListener("click", () => {
    view.showPictureProblem("");
    view.show("describing");
  });
  find("frame-again", HTMLButtonElement).addEventListener("click", () => void pictures.frame());
  find("more-voices", HTMLButtonElement).addEventListener("click", (event) => {
    order.showVoices(voiceChoices(texts.order, { areAll: true }));
    (event.currentTarget as HTMLElement).hidden = true;
  });
  find("cancel", HTMLButtonElement).addEventListener("click", () => void back());
  for (const [id, url] of [
    ["agent-page", places?.agentUrl],
    ["agent-talk", places?.talkUrl],
  ] as const) {
    find(id, HTMLAnchorElement).addEventListener("click", (event) => {
      // With another key or button the browser opens it elsewhere.
      if (!url || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      places?.go(url(current.code));
    });
  }
  // Another code was put into the address.
  window.addEventListener(
    "hashchange",
    () => {
      if (codeOfAddress() !== agents.code) location.reload();
    },
    { signal: end.signal },
  );
  order.showVoices(voiceChoices(texts.order, { areAll: false }));
  showGestureChips(find("tab-gestures", HTMLElement), (gesture) => face.gesture(gesture), texts.gestures);
  showMoodChips(find("tab-moods", HTMLElement), (emotion) => face.setMood(emotion), texts.moods);
  void open();

  async function open(): Promise<void> {
    const code = codeOfAddress() ?? kept.code;
    if (code === undefined && !draft) void samples.show();
    try {
      await access.open();
    } catch {
      // The page works without the service until it needs it, and says so then.
    }
    if (end.signal.aborted) return;
    showAccess();
    if (code !== undefined) await agents.open(code);
    else if (draft) await resume(draft);
    else if (access.kind !== "none") refreshOwn();
  }

  /** Goes on where a flow that was closed stood. */
  async function resume({ picture, kind: ordered, isFraming, ...choices }: CreateDraft): Promise<void> {
    if (!picture) {
      describing.restore(choices);
      view.show("describing");
      return;
    }
    setKind(ordered);
    const isMarked = ordered === "any";
    order.showVoices(voiceChoices(texts.order, { areAll: true }));
    find("more-voices", HTMLButtonElement).hidden = true;
    order.restore(choices);
    await pictures.resume(picture, { isFraming: isFraming || isMarked });
    // Nothing is found in it, which the visitor knows.
    if (isMarked && view.state === "framing") markFace();
  }

  /** What there is to hand on: an order that runs is found again by its code. */
  function draftOf(): CreateDraft | undefined {
    if (agents.code !== undefined) return undefined;
    const isFraming = view.state === "framing";
    if (pictures.draft) return { ...order.choices, picture: pictures.draft, kind, isFraming };
    const said = describing.choices;
    return said.character === "" ? undefined : { ...said, kind: "photograph", isFraming: false };
  }

  /** What depends on how there is access. */
  function showAccess(): void {
    accessView.showSignedIn(access.kind === "secret");
    // The page's own token makes avatars of pictures only.
    find("describe-open", HTMLElement).hidden = access.kind === "page";
    void prices.refresh();
  }

  /** The console lists the avatars elsewhere. */
  function refreshOwn(): void {
    if (!isConsole) void own.refresh();
  }

  /** Begins with a file. One that is no picture leaves everything as it was. */
  async function take(file: File): Promise<void> {
    view.showPictureProblem("");
    try {
      await pictures.take(file);
    } catch (error) {
      view.showPictureProblem(messageOf(error));
    }
  }

  function prepareOnce(): void {
    pictures.prepare();
  }

  function setKind(changed: OrderKind): void {
    kind = changed;
    prices.showKind(changed);
  }

  function markFace(): void {
    setKind("any");
    order.showNote(texts.order.notMarked);
    view.show("chosen", texts.titles.firstVoice);
  }

  function orderOfPicture(choices: Choices) {
    return { ...choices, kind, picture: () => pictures.forService() };
  }

  /** A sample keeps its name and voice. */
  function orderOfSample(sample: SampleFace) {
    const { name, voice } = sample;
    return { voice, name, character: "", shape: "1:1", kind: "any", picture: () => fetchPortrait(sample) } as const;
  }

  async function hear(voice: string, onProblem: (problem: string) => void): Promise<void> {
    try {
      const recording = fetchBytes(new URL(`v1/voices/${voice}/preview`, base)).then(
        ({ buffer }) => buffer as ArrayBuffer,
      );
      await face.speak(recording);
    } catch {
      if (!end.signal.aborted) onProblem(texts.order.unheard);
    }
  }

  function askForAccess(problem: string, again: () => void): void {
    if (!pasted) {
      agents.refuseSignedOut(new URL("console", base).href);
      places?.onSignedOut();
      return;
    }
    const wasRefused = access.kind === "secret";
    goOn = again;
    pasted.forget();
    showAccess();
    accessView.show(wasRefused ? problem : "");
    view.show("access");
  }

  async function useSecret(secret: string, isKept: boolean): Promise<void> {
    accessView.showCheck();
    try {
      await pasted?.useSecret(secret, { isKept });
    } catch (error) {
      return accessView.showProblem(messageOf(error));
    }
    showAccess();
    refreshOwn();
    goOn?.();
  }

  function forgetSecret(): void {
    pasted?.forget();
    showAccess();
    own.clear();
    void another();
  }

  /** Its room, voice and greeting get ready beside its face. */
  async function prepareTalk(code: string): Promise<void> {
    try {
      await client.prepare(await keptPage.of(code, () => client.embedPage(code)));
    } catch {
      // The conversation begins when its page is opened.
    }
  }

  async function talk(status: AgentStatus, notes: readonly string[]): Promise<void> {
    const page = await keptPage.of(status.code, () => client.embedPage(status.code));
    if (end.signal.aborted) return;
    current = status;
    face.clear();
    next.reset(status.modelUrl);
    change.show(status);
    if (places) {
      showLink("agent-page", places.agentUrl(status.code));
      showLink("agent-talk", places.talkUrl(status.code));
    }
    view.show("talking", status.name || texts.titles.talking);
    talking.show({ name: status.name, page: inLanguage(page, language), notes, face: face.canvas });
    refreshOwn();
    next.showPrice(await client.creditsPerMinute(status.model).catch(() => undefined));
  }

  function showLink(id: string, url: string): void {
    const link = find(id, HTMLAnchorElement);
    link.href = url;
    link.hidden = false;
  }

  /** Back to the picture or the words with all choices, or to the beginning without either. */
  async function back(): Promise<void> {
    const { code, order: left } = agents;
    const leaving = agents.leave();
    if (pictures.hasPicture) view.show("chosen");
    else if (left && !left.picture) view.show("describing");
    else return another();
    const wasDeleted = await leaving;
    const refund = wasDeleted && code !== undefined ? await agents.refundOf(code) : "";
    if (refund !== "") view.say(refund);
    if (refund !== "" && view.state === "chosen") order.showNote(refund);
    void prices.refresh();
  }

  async function leave(): Promise<void> {
    talking.leave();
    keptPage.forget();
    await agents.leave();
    pictures.drop();
    view.showPictureProblem("");
  }

  async function another(): Promise<void> {
    await leave();
    if (end.signal.aborted) return;
    view.show("empty");
    void samples.show();
    void prices.refresh();
    if (access.kind !== "none") refreshOwn();
  }

  async function deleteCurrent(): Promise<void> {
    if (!confirm(texts.change.confirm)) return;
    try {
      await client.delete(current.code);
      await another();
      view.say(texts.change.deleted);
    } catch (error) {
      talking.showProblem(messageOf(error));
    }
  }

  function close(): CreateDraft | undefined {
    if (end.signal.aborted) return undefined;
    const left = draftOf();
    end.abort();
    agents.close();
    samples.close();
    talking.leave();
    camera.close();
    pictures.close();
    void face.end();
    host.replaceChildren();
    host.classList.remove(HOST_CLASS);
    return left;
  }

  return { close };
}

function codeOfAddress(): string | undefined {
  return FRAGMENT.exec(location.hash)?.[1];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
