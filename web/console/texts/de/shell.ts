// Texts of the frame around all views, of its controls, and of the account.
import type { Texts } from "../en/index.ts";
import { pluralIn } from "../plural.ts";

const plural = pluralIn("de");

export const shell: Texts["shell"] = {
  title: "Konsole",
  menu: "Menü",
  more: "Mehr",
  skip: "Zum Inhalt springen",
  live: { stream: "Live", polling: "Fragt alle 5 s nach", offline: "Offline" },
  loading: "Einen Moment …",
  signOut: "Abmelden",
  language: "Sprache",
  actsFor: "Sie handeln für",
  myself: "Mich selbst",
  close: "Schließen",
  cancel: "Abbrechen",
  back: "Zurück",
  save: "Speichern",
  saved: "Gespeichert.",
  delete: "Löschen",
  copy: "Kopieren",
  copied: "Kopiert.",
  copyFailed: "Der Browser hat das Kopieren nicht erlaubt. Markieren Sie den Text und kopieren Sie ihn selbst.",
  secret: "Secret",
  secretKept: "Ich habe es aufbewahrt",
  retry: "Noch einmal versuchen",
  showMore: "Mehr zeigen",
  search: "Suchen",
  none: "keine",
  failed: "Das ist fehlgeschlagen. Der Dienst schreibt:",
  offline: "Der Dienst ist nicht erreichbar. Was Sie sehen, kann veraltet sein.",
  wrong: "Das hat nicht geklappt",
  requestId: (id) => `Anfrage ${id}`,
  changePlan: "Tarif ändern",
  buyCredits: "Guthaben aufladen",
  typeToConfirm: (word) => `Tippen Sie ${word} zur Bestätigung`,
  crashed: "Diese Ansicht ist abgestürzt. Vielleicht hilft es, die Seite neu zu laden.",
  reload: "Neu laden",
  byProgram: "Dasselbe per Programm",
  notFound: "Unter dieser Adresse gibt es nichts.",
  entries: (count) => plural(count, "Eintrag", "Einträge"),
  views: { account: "Konto" },
};

export const account: Texts["account"] = {
  title: "Konto",
  email: "E-Mail-Adresse",
  plan: "Tarif",
  userId: "Kennung",
  sessions: "Wo Sie angemeldet sind",
  sessionsNote:
    "Wird eine Anmeldung beendet, endet auch, was in ihr begonnen wurde. Anmeldungen enden zwölf Stunden nach der letzten Nutzung.",
  sessionsHidden: "Wer mit dem Secret einer Organisation angemeldet ist, sieht keine Anmeldungen der Person.",
  methods: { link: "mit einem Link", secret: "mit einem API-Secret", issuer: "über einen Anmeldedienst" },
  signedIn: (method, address, time) => `Angemeldet ${method} von ${address}, zuletzt genutzt ${time}`,
  thisSession: (what) => `Diese Anmeldung. ${what}`,
  unknownBrowser: "Unbekannter Browser",
  end: "Beenden",
  endSession: (address, time) => `Die Anmeldung von ${address} beenden, zuletzt genutzt ${time}`,
  computer: "Einen Computer anmelden",
};

export const signIn: Texts["signIn"] = {
  title: "Anmelden",
  lead: "Die Konsole dieses Dienstes.",
  hasEnded:
    "Sie sind abgemeldet: Ihre Anmeldung wurde beendet oder zwölf Stunden lang nicht benutzt. Melden Sie sich an, um dort weiterzumachen, wo Sie waren.",
  deviceLead: "Melden Sie sich erst an, dann bestätigen Sie den Code des Computers.",
  issuer: (name) => `Anmelden mit ${name}`,
  secret: "API-Secret",
  submit: "Anmelden",
  secretNote:
    "Es wird nur an diesen Dienst gesendet. Der Browser behält an seiner Stelle eine Anmeldung, nicht das Secret.",
  linkTitle: "Oder mit einem Link",
  linkNote: "Der Betreiber macht einen, der einmal anmeldet, binnen zehn Minuten. Auch npm start gibt einen aus.",
  unopened: "Die Konsole konnte nicht geöffnet werden.",
  signedInAs: (email) => `Sie sind angemeldet als ${email}.`,
  deviceTitle: "Einen Computer anmelden",
  code: "Code, den der Computer zeigt",
  continue: "Weiter",
  asks: "Dieser Computer bittet um ein API-Secret Ihres Kontos:",
  computer: "Computer",
  address: "Adresse",
  asked: "Gefragt um",
  askedCode: "Code",
  caution:
    "Bestätigen Sie nur, wenn Sie das selbst begonnen haben und der Computer denselben Code zeigt. Das Secret kann alles, was Ihr Konto kann.",
  confirm: "Bestätigen",
  refuse: "Ablehnen",
  confirmed: "Bestätigt",
  refused: "Abgelehnt",
  confirmedNote: (host) =>
    `${host} erhält jetzt sein Secret. Sie können diese Seite schließen. Widerrufen Sie das Secret, um ihn abzumelden.`,
  refusedNote: (host) => `${host} erhält nichts.`,
};
