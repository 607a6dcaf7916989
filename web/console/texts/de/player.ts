// Texte der Ansicht, die Dateien abspielt.
import type { Texts } from "../en/index.ts";

export const player: Texts["player"] = {
  title: "Player",
  lead: "Sehen Sie sich ein Gesicht, einen Film oder eine Aufnahme von Ihrem Rechner an.",
  drop: "Legen Sie ein Gesicht (.imx), einen Film (MP4, WebM) oder eine Aufnahme (WAV, MP3, Ogg) hier ab.",
  choose: "Datei wählen",
  private: "Nichts wird hochgeladen: Nur dieser Tab liest die Datei, und nichts wird berechnet.",
  face: "Gesicht",
  speaker: "Wer die Aufnahme spricht",
  speakerNote: "Oder legen Sie eine .imx-Datei ab.",
  chooseFace: "Gesicht wählen",
  again: "Noch einmal sagen",
  stop: "Anhalten",
  file: "Datei",
  size: "Größe",
  length: "Länge",
  picture: "Bild",
  model: "Modell",
  gestures: "Gesten",
  none: "keine",
  madeBy: "Gemacht von",
  made: "Gemacht am",
  empty: (name) => `${name} ist leer.`,
  foreign: (name) => `${name} ist kein Gesicht (.imx) und kein Film und keine Aufnahme, die der Player kennt.`,
  huge: (name, most) => `${name} ist zu groß für einen Tab. Höchstens ${most} gehen.`,
  damaged: (name, reason) => `${name} ist beschädigt, abgeschnitten oder von anderer Version. ${reason}`,
  unreadable: (name) =>
    `${name} lässt sich nicht abspielen: beschädigt, abgeschnitten, oder diesem Browser fehlt das Format.`,
  gone: (name) => `${name} lässt sich nicht mehr lesen. Wurde die Datei verschoben oder geändert?`,
  failed: (name, reason) => `${name} lässt sich nicht zeigen. ${reason}`,
  stopped: "Das Gesicht steht still: Das Zeichnen wurde abgebrochen. Öffnen Sie wieder ein Gesicht.",
};
