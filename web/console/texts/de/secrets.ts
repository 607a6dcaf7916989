// Texts of the API secrets.
import type { Texts } from "../en/index.ts";
import { pluralIn } from "../plural.ts";

const plural = pluralIn("de");

export const secrets: Texts["secrets"] = {
  title: "API-Secrets",
  lead: "Ein Programm, das diesen Dienst aufruft, sendet eines dieser Secrets. Es kann alles, was Ihr Konto kann.",
  organizationLead:
    "Ein Programm mit einem dieser Secrets handelt für die Organisation; es zahlt das Mitglied, das das Secret erstellt hat.",
  make: "Neues Secret",
  makeIt: "Erstellen",
  empty:
    "Kein Secret ist in Gebrauch. Erstellen Sie eines für jedes Programm, dann lässt sich jedes einzeln widerrufen.",
  inUse: (count) => `${plural(count, "Secret", "Secrets")} in Gebrauch`,
  name: "Name",
  value: "Wert",
  lastUse: "Zuletzt genutzt",
  created: "Erstellt",
  issuer: "Erstellt von",
  you: "Ihnen",
  actions: "Aktion",
  never: "Nicht genutzt",
  computer: "Computer",
  revoke: "Widerrufen",
  revokeOne: (name) => `${name} widerrufen`,
  revokeTitle: (name) => `${name} widerrufen?`,
  revokeNote:
    "Ab jetzt wird es abgelehnt, ebenso jedes damit erstellte Token. Sitzungen, die es begonnen hat, enden bei ihrer nächsten Meldung, binnen Sekunden. Wer sich hier damit angemeldet hat, wird abgemeldet. Das lässt sich nicht rückgängig machen.",
  revoked: (name) => `${name} ist widerrufen.`,
  nameNote: "Wo es genutzt wird, zum Beispiel laptop. Ohne Namen erhält es einen zufälligen.",
  nameProblem: "Buchstaben, Ziffern, Leerzeichen, Punkte, _, @ und -; an beiden Enden ein Buchstabe oder eine Ziffer.",
  keepSuspended: "Sitzungen bleiben gesperrt",
  keepSuspendedNote:
    "Nachdem alle Sitzungen widerrufen wurden, erlaubt ein neues Secret wieder Sitzungen, außer wenn dies an ist.",
  madeTitle: (name) => `Das Secret ${name}`,
  madeNote: "Es wird nur dieses eine Mal gezeigt. Kopieren Sie es dorthin, wo es genutzt wird.",
  resumed: "Sitzungen können wieder begonnen werden.",
  computers: "Computer",
  computersNote:
    "Ein Computer, der sich mit einem Code anmeldet, erhält ein eigenes Secret, das mit cli@ beginnt. Widerrufen Sie es, um ihn abzumelden.",
  signInComputer: "Einen Computer anmelden",
  once: "Warum ein Secret nur einmal gezeigt wird",
  onceNote:
    "Der Dienst behält nur einen Hash, deshalb kann es niemand mehr lesen: Auch hier antwortet get-value mit 403. Ist ein Secret verloren, erstellen Sie ein neues und widerrufen das verlorene.",
  limits: "Grenzen des Tarifs",
  limitsNote: "Sie gelten für alle Ihre Secrets zusammen.",
  plan: "Tarif",
  readRequests: "Anfragen, die lesen",
  writeRequests: "Anfragen, die etwas ändern",
  generateRequests: "Anfragen, die etwas erzeugen oder beenden",
  perMinute: (count) => `${count} pro Minute`,
  concurrent: "Gleichzeitige Sitzungen",
  agents: "Agents",
  unlimited: "ohne Grenze",
  suspended: "Sitzungen sind gesperrt. Ein neues Secret erlaubt sie wieder.",
};
