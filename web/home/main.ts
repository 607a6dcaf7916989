// The start page: the flow from a picture to an avatar that talks, for those who are not signed in.

import { mountCreate } from "../create/mount-create.ts";
import { loadCreateTexts } from "../create/texts/load-create-texts.ts";
import { Access } from "../shared/access.ts";
import { findElement } from "../shared/find-element.ts";
import { chooseLanguage } from "../shared/languages.ts";
import { openTabStorage } from "../shared/tab-storage.ts";

const base = new URL("./", location.href.replace(/[?#].*$/, ""));
const access = new Access({ base, storage: openTabStorage(() => sessionStorage) });
const language = chooseLanguage(navigator.languages, () => localStorage);
document.documentElement.lang = language;
const texts = await loadCreateTexts(language);
const home = findElement("home", HTMLElement);
home.ariaLabel = texts.page;
mountCreate(home, { base, language, texts, access });
