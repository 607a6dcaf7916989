// Puts the texts of a language into the page's markup, which is English.
import { findElement } from "../shared/find-element.ts";
import type { EmbedTexts } from "./texts/load-embed-texts.ts";

export function showTexts({ language, buttons, transcript }: EmbedTexts): void {
  document.documentElement.lang = language;
  const words = {
    hear: buttons.hear,
    camera: buttons.camera,
    puppet: buttons.puppet,
    "talk-word": buttons.talk,
    "stop-word": buttons.stop,
    "no-lines": transcript.empty,
  };
  for (const [id, text] of Object.entries(words)) findElement(id, HTMLElement).textContent = text;
  // Icons, which have their word beside them where there is room.
  const tools = { mute: buttons.mute, words: buttons.transcript, end: buttons.end };
  for (const [id, word] of Object.entries(tools)) {
    const tool = findElement(id, HTMLButtonElement);
    tool.title = word;
    tool.querySelector(".tool-word")?.replaceChildren(word);
  }
  findElement("puppet", HTMLElement).title = buttons.puppetNote;
  findElement("self", HTMLElement).setAttribute("aria-label", buttons.ownCamera);
  findElement("transcript", HTMLElement).setAttribute("aria-label", buttons.transcript);
}
