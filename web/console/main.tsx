// The console: everything the service can do, for the person who is signed in.
import { createRoot } from "react-dom/client";
import { config } from "zod/mini";
import { findElement } from "../shared/find-element.ts";
import { App } from "./app/app.tsx";
import { pinAddresses, readRoot } from "./data/read-root.ts";
import { readArrival } from "./sign-in/arrival.ts";
import { chooseLanguage } from "./texts/languages.ts";
import { loadTexts } from "./texts/load-texts.ts";

// The page's policy allows no code made of texts.
config({ jitless: true });

pinAddresses(document);
const language = chooseLanguage(navigator.languages, () => localStorage);
const texts = await loadTexts(language);
const root = createRoot(findElement("console", HTMLElement));
root.render(
  <App arrival={readArrival(new URL(location.href))} first={{ language, texts }} root={readRoot(document)} />,
);
