// The console: everything the service can do, for the person who is signed in.
import { createRoot } from "react-dom/client";
import { findElement } from "../shared/find-element.ts";
import { App } from "./app/app.tsx";
import { expectFirstView } from "./app/first-view.ts";
import { pinAddresses, readRoot } from "./data/read-root.ts";
import { readArrival } from "./sign-in/arrival.ts";
import { chooseLanguage } from "./texts/languages.ts";
import { loadTexts } from "./texts/load-texts.ts";

pinAddresses(document);
const language = chooseLanguage(navigator.languages, () => localStorage);
const arrival = readArrival(new URL(location.href));
const root = readRoot(document);
const early = expectFirstView({ arrival, root, language, address: new URL(location.href) });
const texts = await loadTexts(language);
createRoot(findElement("console", HTMLElement)).render(
  <App arrival={arrival} early={early} first={{ language, texts }} root={root} />,
);
