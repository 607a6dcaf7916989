// The reference of the REST API, made from the OpenAPI document that the service answers with.
import { Access } from "../shared/access.ts";
import { LANGUAGES, type Language } from "../shared/code/code-view.ts";
import { element } from "../shared/element.ts";
import { findElement } from "../shared/find-element.ts";
import { isOnThisMachine } from "../shared/is-on-this-machine.ts";
import { sendRequest } from "../shared/send-request.ts";
import { openTabStorage } from "../shared/tab-storage.ts";
import { AccessView } from "./access-view.ts";
import { ApiDocument, type ApiOperation, type WireDocument } from "./api-document.ts";
import { CHAPTERS } from "./chapters.ts";
import { learnedValues } from "./learned-values.ts";
import type { OperationContext } from "./operation-view.ts";
import { ReferenceView } from "./reference-view.ts";
import type { KnownValues } from "./request-draft.ts";
import type { ReceivedAnswer } from "./try-request.ts";

const LANGUAGE_KEY = "sample-language";
const SHOWN_AGENTS = 50;

const base = new URL("./", location.href.replace(/[?#].*$/, ""));
const access = new Access({ base, storage: openTabStorage(() => sessionStorage) });
const accessView = new AccessView({ useSecret: (secret) => void useSecret(secret), forget: () => void forget() });
const agentField = findElement("agent", HTMLInputElement);
const loading = findElement("loading", HTMLElement);
const contents = findElement("contents", HTMLElement);
const contentsButton = findElement("contents-button", HTMLButtonElement);

let known: KnownValues = {};
let language = keptLanguage();
let reference: ReferenceView | undefined;

findElement("base", HTMLElement).textContent = base.href;
findElement("local-secret", HTMLElement).hidden = !isOnThisMachine(base.hostname);
contentsButton.addEventListener("click", () => fold(contentsButton.ariaExpanded === "true"));
contents.addEventListener("click", ({ target }) => {
  if (target instanceof Element && target.closest("a")) fold(true);
});
agentField.addEventListener("input", () => learn({ AGENT_CODE: agentField.value.trim() }));
window.addEventListener("hashchange", () => show(location.hash.slice(1)));
void Promise.all([open(), load()]);

async function load(): Promise<void> {
  try {
    const document_ = new ApiDocument((await sendRequest(new URL("openapi.json", base))) as unknown as WireDocument);
    reference = new ReferenceView(CHAPTERS, contextOf(document_));
    reference.mount({
      reference: findElement("reference", HTMLElement),
      links: findElement("chapter-links", HTMLElement),
    });
    loading.textContent = "";
    listenToFilter(reference);
    show(location.hash.slice(1) || CHAPTERS[0].operations[0], location.hash !== "");
  } catch (error) {
    const again = element("button", { type: "button", textContent: "Try again" });
    again.addEventListener("click", () => {
      loading.textContent = "Reading the interface …";
      void load();
    });
    loading.replaceChildren(`${messageOf(error)} `, again);
  }
}

function contextOf(api: ApiDocument): OperationContext {
  return {
    api,
    base: base.href,
    get known() {
      return known;
    },
    get language() {
      return language;
    },
    choose(chosen) {
      language = chosen;
      try {
        localStorage.setItem(LANGUAGE_KEY, chosen);
      } catch {
        // Storage is denied: the choice holds until the page is left.
      }
      reference?.update();
    },
    headers: () => access.headers(),
    answered,
    opened({ id }) {
      if (location.hash !== `#${id}`) history.replaceState(null, "", `#${id}`);
      reference?.mark(id);
    },
  };
}

/** Learns ids from an answer, and says what to do about a refused credential. */
function answered(operation: ApiOperation, { status, json }: ReceivedAnswer): string {
  if (status < 300) learn(learnedValues(operation.id, json));
  if (access.kind !== "page" || operation.credential !== "secret" || (status !== 401 && status !== 403)) return "";
  return "The token of this machine is not enough for this request. Paste an API secret at the top of the page.";
}

function learn(values: KnownValues): void {
  const { AGENT_CODE: code } = values;
  if (code !== undefined && agentField.value.trim() !== code) agentField.value = code;
  known = Object.fromEntries(Object.entries({ ...known, ...values }).filter(([, value]) => value !== ""));
  reference?.update();
}

async function open(): Promise<void> {
  try {
    await access.open();
    accessView.show(access.kind);
    await learnFromAccount();
  } catch (error) {
    accessView.show("none");
    accessView.showProblem(messageOf(error));
  }
}

async function useSecret(secret: string): Promise<void> {
  try {
    await access.useSecret(secret, { isKept: true });
    accessView.show("secret");
    await learnFromAccount();
  } catch (error) {
    accessView.showProblem(messageOf(error));
  }
}

async function forget(): Promise<void> {
  access.forget();
  known = {};
  agentField.value = "";
  findElement("agents", HTMLDataListElement).replaceChildren();
  reference?.update();
  await open();
}

/** The account's id, which takes a secret, and its agents, or those of the start page. */
async function learnFromAccount(): Promise<void> {
  if (access.kind === "none") return;
  const headers = await access.headers();
  const [me, agents] = await Promise.all([
    access.kind === "secret" ? sendRequest(new URL("v1/me", base), { headers }) : {},
    sendRequest(new URL(`v1/agents?limit=${SHOWN_AGENTS}&status=ready`, base), { headers }),
  ]);
  const codes = (Array.isArray(agents.data) ? (agents.data as { agent_id?: string }[]) : []).flatMap(
    ({ agent_id: code }) => (code === undefined ? [] : [code]),
  );
  findElement("agents", HTMLDataListElement).replaceChildren(...codes.map((value) => element("option", { value })));
  learn({ ...learnedValues("accounts.me", me), ...(codes.length > 0 && { AGENT_CODE: codes[0] }) });
}

/** Opens what a link names, and goes there. */
function show(id: string, goesThere = true): void {
  const opened = reference?.open(id) ?? document.getElementById(id);
  if (opened && goesThere) opened.scrollIntoView();
}

function listenToFilter(view: ReferenceView): void {
  const filter = findElement("filter", HTMLInputElement);
  const found = findElement("found", HTMLElement);
  const apply = () => {
    const count = view.filter(filter.value);
    found.textContent = filter.value.trim() === "" ? "" : `${count} operations`;
    loading.textContent = count > 0 ? "" : `Nothing has “${filter.value.trim()}”. Try another word.`;
  };
  filter.addEventListener("input", apply);
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element && event.target.matches("input, textarea, select");
    if (event.key !== "/" || isTyping) return;
    event.preventDefault();
    fold(false);
    filter.focus();
  });
  apply();
}

/** On a telephone the contents fold into a button. */
function fold(isFolded: boolean): void {
  contentsButton.ariaExpanded = String(!isFolded);
}

function keptLanguage(): Language {
  try {
    const kept = localStorage.getItem(LANGUAGE_KEY);
    if (kept !== null && kept in LANGUAGES) return kept as Language;
  } catch {
    // Storage is denied.
  }
  return "curl";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
