// For the console: its languages are those of the start page, too.
export { chooseLanguage, keepLanguage, LANGUAGE_NAMES, LANGUAGES, type Language } from "../../shared/languages.ts";
