// The console: signing in, the account, and computers that ask for a secret.
import { config } from "zod/mini";
import { findElement } from "../shared/find-element.ts";
import { RequestError } from "../shared/request-error.ts";
import { AccountView } from "./account-view.ts";
import { type Arrival, readArrival } from "./arrival.ts";
import { type AskingDevice, ConsoleClient, type Person, type Proof } from "./console-client.ts";
import { DeviceView } from "./device-view.ts";
import { keepCode, takeCode } from "./kept-code.ts";
import { SignInView } from "./sign-in-view.ts";

const openStorage = () => sessionStorage;

// The page's policy allows no code made of texts.
config({ jitless: true });

const home = findElement("title", HTMLElement).ownerDocument.querySelector<HTMLAnchorElement>(".site-name");
if (!home) throw new TypeError("the page lacks its header");
/** Everything lies below the start page. */
const base = new URL(home.href);
const client = new ConsoleClient(base);
const title = findElement("title", HTMLElement);
const lead = findElement("lead", HTMLElement);
const wrong = findElement("wrong", HTMLElement);
const arrival = readArrival(new URL(location.href));

const signInView = new SignInView({
  useSecret: (secret) => attempt(() => signIn({ secret: secret.trim() })),
  goToIssuer: () =>
    attempt(async () => {
      const url = await client.issuerUrl();
      if (arrival.kind === "device") keepCode(arrival.code, openStorage);
      location.assign(url);
    }),
});
const accountView = new AccountView({
  signOut: () =>
    attempt(async () => {
      await client.signOut();
      await open();
    }),
  revoke: ({ id }) =>
    attempt(async () => {
      await client.revoke(id);
      accountView.showSessions(await client.sessions());
    }),
});
const deviceView = new DeviceView({
  find: (code) => attempt(() => findDevice(code)),
  decide: (device, isConfirmed) => attempt(() => decide(device, isConfirmed)),
});

await attempt(() => arrive(arrival));

async function arrive(from: Arrival): Promise<void> {
  // What signs in is neither kept in the address nor in the history.
  if (from.kind === "link" || from.kind === "callback") history.replaceState(null, "", new URL("console", base));
  try {
    if (from.kind === "link") await client.signIn({ link: from.link });
    if (from.kind === "callback") await client.signIn({ callback: from.query });
  } catch (error) {
    // A link that was opened before may have signed in this very browser.
    await open();
    throw error;
  }
  await open();
}

async function signIn(proof: Proof): Promise<void> {
  await client.signIn(proof);
  await open();
}

/** Shows what there is for the person now. */
async function open(): Promise<void> {
  const access = await client.access();
  signInView.hide();
  accountView.hide();
  deviceView.hide();
  if (access.signed_in) return openSignedIn(access);
  title.textContent = "Sign in";
  lead.textContent =
    arrival.kind === "device" ? "Sign in first, then confirm the computer's code." : "The console of this service.";
  signInView.show(access.issuer);
}

async function openSignedIn(person: Person): Promise<void> {
  const kept = takeCode(openStorage);
  const code = arrival.kind === "device" ? arrival.code : kept;
  if (code !== null) {
    title.textContent = "Sign in a computer";
    lead.textContent = `You are signed in as ${person.email}.`;
    deviceView.show(code);
    if (code !== "") await findDevice(code);
    return;
  }
  title.textContent = "Console";
  lead.textContent = `You are signed in as ${person.email}.`;
  accountView.show(person);
  // Signed in with the secret of an organization, one sees no sessions of the person.
  if (person.organization_id === null) accountView.showSessions(await client.sessions());
}

async function findDevice(code: string): Promise<void> {
  deviceView.ask(await client.findDevice(code));
}

async function decide({ user_code, host }: AskingDevice, isConfirmed: boolean): Promise<void> {
  await client.decide(user_code, isConfirmed);
  deviceView.hide();
  title.textContent = isConfirmed ? "Confirmed" : "Refused";
  lead.textContent = isConfirmed
    ? `${host} gets its secret now. You can close this page. Revoke the secret to sign it out.`
    : `${host} gets nothing.`;
  title.focus();
}

/** Runs an action and shows what went wrong. */
async function attempt(action: () => Promise<void>): Promise<void> {
  wrong.hidden = true;
  try {
    await action();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (error.code === "NETWORK") lead.textContent = "The console could not be opened.";
    wrong.textContent = error.message;
    wrong.hidden = false;
    const hasEnded = error.code === "UNAUTHORIZED" || error.code === "MISSING_AUTH";
    if (hasEnded && findElement("sign-in", HTMLElement).hidden) await open().catch(() => undefined);
  }
}
