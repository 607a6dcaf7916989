// Texts of the view of webhooks.
import type { Texts } from "../en/index.ts";
import { pluralIn } from "../plural.ts";

const plural = pluralIn("de");

export const webhooks: Texts["webhooks"] = {
  title: "Webhooks",
  lead: "Der Dienst ruft Ihren Server, wenn etwas geschieht: Ein Agent ist bereit, ein Film fertig, ein Gespräch geht weiter.",
  ownOnly:
    "Webhooks gehören einer Person. Sie sind mit dem Secret einer Organisation angemeldet; daher können Sie sie ansehen, aber nicht ändern oder testen.",
  registered: "Registrierte Webhooks",
  empty:
    "Noch kein Webhook. Registrieren Sie unten die Adresse Ihres Servers, bewahren Sie das Secret auf, das einmal gezeigt wird, und senden Sie einen Test.",
  session: "Sitzungs-Webhook",
  sessionLead: "Einer für das Konto: wer einem Gespräch beitritt, und jede Nachricht darin.",
  setUp: "Einrichten",
  one: "Webhook",
  settings: "Einstellungen",
  add: "Webhook registrieren",
  url: "Adresse Ihres Servers",
  urlNote: "Sie beginnt mit https://",
  description: "Notiz, für Sie selbst",
  created: "Registriert",
  events: "Ereignisse",
  allEvents: "Alle Ereignisse",
  everyEvent: "Alle Ereignisse",
  everyEventNote: "Auch die späterer Versionen.",
  eventNotes: {
    "agent.ready": "Ein Agent wurde gemacht.",
    "agent.failed": "Ein Agent konnte nicht gemacht werden.",
    "video.completed": "Ein Film ist fertig.",
    "video.failed": "Ein Film konnte nicht gemacht werden.",
    "dynamics.ready": "Gesten sind da.",
    "dynamics.failed": "Gesten konnten nicht gemacht werden.",
    "room.join": "Ein Gespräch hat begonnen.",
    "chat.push": "Eine Nachricht ist vollständig: der Person oder des Agents.",
  },
  register: "Registrieren",
  secret: "Secret des Webhooks",
  secretTitle: "Das Secret dieses Webhooks",
  secretNote:
    "Ihr Server prüft damit Signaturen. Kopieren Sie es jetzt: Es wird dieses eine Mal gezeigt, dann ist es auch von dieser Seite verschwunden.",
  test: "Test senden",
  testing: "Wird gesendet …",
  testOf: (name) => `Test an ${name} senden`,
  outcome: (isDelivered, status) =>
    status === null
      ? "Ihr Server hat nicht geantwortet. Die Zustellung sagt, warum."
      : isDelivered
        ? `Zugestellt: Ihr Server hat mit ${status} geantwortet.`
        : `Nicht zugestellt: Ihr Server hat mit ${status} geantwortet, nicht mit 2xx.`,
  pause: "Anhalten",
  resume: "Fortsetzen",
  paused: "angehalten",
  pausedTitle: "Dieser Webhook ist angehalten.",
  pausedNote:
    "Das war sein Besitzer, hier oder per Programm; der Dienst selbst tut das nie. Gesendet werden nur Tests. Was inzwischen geschieht, wird nicht nachgeholt.",
  deleteTitle: "Webhook löschen",
  deleteNote: (url) =>
    `An ${url} wird nichts mehr gesendet. Was gesendet wurde, wird vergessen, und wartende Zustellungen entfallen.`,
  rotate: "Neues Secret erzeugen",
  rotateNote: "Das jetzige Secret wird sofort ungültig. Ihr Server lehnt Zustellungen ab, bis er das neue hat.",
  remove: "Webhook entfernen",
  headers: "Eigene Header",
  headersNote: "Sie ersetzen alle bisherigen. Werte werden nicht wieder gezeigt; geben Sie alle ein.",
  noHeaders: "Keine. Jeder Zustellung kann zum Beispiel ein Bearer-Token mitgegeben werden.",
  hiddenValue: "Wert verborgen",
  addHeaders: "Header hinzufügen",
  replaceHeaders: "Header ersetzen",
  addHeader: "Noch ein Header",
  headerName: (row) => `Name von Header ${row}`,
  headerValue: (row) => `Wert von Header ${row}`,
  removeHeader: (row) => `Header ${row} entfernen`,
  deliveries: "Zustellungen",
  retries:
    "Ihr Server hat 10 s, um mit 2xx zu antworten. Sonst wird die Zustellung nach 2, 5 und 30 s wiederholt, dann aufgegeben. Zustellungen eines Agents behalten ihre Reihenfolge: Eine spätere wartet auf die vor ihr.",
  sessionRetries:
    "Ihr Server hat 30 s, um mit 2xx zu antworten. Sonst wird die Zustellung nach 1, 5 und 30 s wiederholt, dann aufgegeben. Zustellungen eines Gesprächs behalten ihre Reihenfolge: Eine spätere wartet auf die vor ihr.",
  noDeliveries: "Noch wurde nichts gesendet. Ein Test erscheint hier.",
  ofSession: "Zur Sitzung",
  allDeliveries: "Alle",
  noneOfSession: "Zu dieser Sitzung wurde nichts gesendet.",
  newest: (event, state) => `Die letzte: ${event}, ${state}.`,
  states: {
    delivered: "zugestellt",
    waiting: "wartet",
    retrying: "wird wiederholt",
    gaveUp: "nicht zugestellt",
  },
  isTest: "Test",
  attempts: (count) => plural(count, "Versuch", "Versuche"),
  lastAnswer: (status) => (status === null ? "keine Antwort" : `Antwort ${status}`),
  nextIn: (seconds) => `nächster Versuch in ${plural(seconds, "Sekunde", "Sekunden")}`,
  nextNow: "nächster Versuch jetzt",
  attemptsOf: (event) => `Versuche, ${event} zuzustellen`,
  attempt: "Versuch",
  time: "Zeit",
  answer: "Antwort",
  taken: "Dauer",
  testFailed: "Tests werden einmal gesendet. Senden Sie noch einen, wenn Ihr Server bereit ist.",
  gaveUpNote: "Sie wird nicht noch einmal gesendet. Was Sie verpasst haben, sagt Ihnen die API.",
  body: "Gesendeter Body",
  deliveryId: "Zustellung",
  check: "Signatur prüfen",
  checkLead: "Ist eine Zustellung wirklich von diesem Dienst, und unverändert?",
  checkTitle: "Signaturprüfer",
  checkNote:
    "Fügen Sie ein, was Ihr Server erhalten hat. Alles wird in diesem Tab geprüft: Nichts davon, vor allem nicht das Secret, wird gesendet oder aufbewahrt.",
  rawBody: "Body, wie er ankam",
  rawBodyNote: "Byte für Byte, bevor ein Programm ihn gelesen hat.",
  receivedHeaders: "Header, einer je Zeile",
  checkSecretNote: "Es bleibt in diesem Tab.",
  checkIt: "Prüfen",
  genuine: "bestätigt",
  genuineNote: (event, family) => `Sie ist echt: das Ereignis ${event} ${family}.`,
  families: { registered: "eines registrierten Webhooks", session: "des Sitzungs-Webhooks" },
  notGenuine: "nicht bestätigt",
  faults: {
    "no-secret": "Das Secret fehlt.",
    "secret-shape":
      "Das ist nicht das Secret eines Webhooks: Das ist whsec_ und 64 Ziffern. API-Secrets und Secrets anderer Dienste passen nicht.",
    "no-signature": "Der Header X-Service-Signature fehlt. Vielleicht hat ihn etwas unterwegs entfernt.",
    "signature-shape": "Die Signatur ist unvollständig: Sie ist sha256= und 64 Ziffern.",
    "no-timestamp": "Der Header X-Service-Timestamp fehlt. Die Signatur schließt ihn ein.",
    "not-json": "Der Body ist kein JSON. Fügen Sie ihn ganz ein.",
    "space-around": "Dem Body wurde Leerraum hinzugefügt oder genommen. Ohne das stimmt die Signatur.",
    rewritten:
      "Der Body wurde gelesen und neu geschrieben. Er sagt dasselbe, aber die Signatur gilt für die gesendeten Bytes. Nehmen Sie den rohen Body.",
    mismatch:
      "Die Signatur gehört nicht zu diesem Body, dieser Zeit und diesem Secret. Das Secret mag das eines anderen Webhooks sein oder das frühere; oder der Body oder der Header mit der Zeit wurde geändert.",
    "too-old":
      "Die Signatur stimmt, aber die Zustellung ist älter als 5 Minuten: Sie kann aufgezeichnet und noch einmal gesendet worden sein.",
    "in-future": "Die Signatur stimmt, aber die Zustellung ist aus der Zukunft: Eine Uhr geht falsch.",
  },
  apart: (length) => `(${length} neben der Uhr dieses Computers)`,
  codeTitle: "Dasselbe in Ihrem Server",
  codeNote:
    "Für beide Arten von Webhooks, ohne weitere Pakete. Auch das Paket @open-avatar/client hat webhooks.verify.",
  copyCode: (language) => `${language}-Code kopieren`,
};
