// Texts of agents: their cards, the choice of one, and their view.
import type { Texts } from "../en/index.ts";
import { pluralIn } from "../plural.ts";

const plural = pluralIn("de");

export const agents: Texts["agents"] = {
  title: "Agents",
  lead: "Gesichter mit einer Stimme und einem Charakter. Wählen Sie einen, um ihn zu sehen, zu ändern und mit ihm zu sprechen.",
  status: "Status",
  filters: { all: "Alle", ready: "Bereit", processing: "Wartet", generating: "Entsteht", failed: "Fehlgeschlagen" },
  unnamed: "Ohne Namen",
  statuses: {
    ready: "Bereit",
    waiting: "Wartet",
    making: "Entsteht",
    marking: "Braucht Gesichtspunkte",
    failed: "Fehlgeschlagen",
    deleted: "Gelöscht",
  },
  progress: (percent) => `${percent} fertig`,
  empty: "Sie haben noch keinen Agent. Erstellen Sie einen aus einem Foto oder einer Beschreibung.",
  create: "Agent erstellen",
  choose: "Agent wählen",
  count: (count) => plural(count, "Agent", "Agents"),
};

export const voicePicker: Texts["voicePicker"] = {
  own: "Eigene Stimme",
  designed: "Für einen Agent gemacht",
  female: "Eine Frau",
  male: "Ein Mann",
  fetched: "Vom Betreiber geladen",
  note: "Wählen Sie eine Stimme, um sie zu hören.",
  playing: "Sie ist jetzt zu hören.",
};
