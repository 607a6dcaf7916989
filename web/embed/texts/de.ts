// Texts of the embed page in German.
import { pluralIn } from "../../shared/plural.ts";
import type { EmbedTexts } from "./en.ts";

const plural = pluralIn("de");

export const de: EmbedTexts = {
  language: "de",
  stage: {
    states: {
      waiting: "Verbindet",
      idle: "Bereit",
      listening: "Hört zu",
      thinking: "Denkt nach",
      speaking: "Spricht",
      lost: "Verbindet neu",
      away: "",
    },
    face: "Sprechendes Gesicht",
    faceOf: (name) => `Sprechendes Gesicht von ${name}`,
    generated: "KI-erzeugtes Gesicht",
  },
  loading: (percent) => `Das Gesicht wird geladen: ${percent} %`,
  gestures: {
    mini_wave_hello: "Hallo",
    nod: "Nicken",
    shake: "Nein",
    wink: "Zwinkern",
    laugh: "Lachen",
    surprise: "Staunen",
    blow_kiss_heart: "Kuss",
  },
  moods: {
    group: "Stimmung",
    neutral: "Neutral",
    happy: "Fröhlich",
    sad: "Traurig",
    angry: "Wütend",
    surprised: "Überrascht",
    afraid: "Ängstlich",
    disgusted: "Angewidert",
    content: "Zufrieden",
  },
  gestureFailed: "Der Avatar hat diese Geste nicht gemacht. Versuchen Sie es noch einmal.",
  moodFailed: "Der Avatar hat diese Stimmung nicht angenommen. Versuchen Sie es noch einmal.",
  devices: {
    microphone: {
      insecure: "Browser geben das Mikrofon nur sicheren Seiten (https). Sie können stattdessen tippen.",
      refused:
        "Das Mikrofon ist nicht erlaubt. Erlauben Sie es in der Adressleiste des Browsers, oder tippen Sie stattdessen.",
      missing: "Kein Mikrofon gefunden. Schließen Sie eins an, oder tippen Sie stattdessen.",
      busy: "Ein anderes Programm benutzt das Mikrofon. Schließen Sie es, oder tippen Sie stattdessen.",
      failed: "Das Mikrofon ging nicht an. Versuchen Sie es noch einmal, oder tippen Sie stattdessen.",
    },
    camera: {
      insecure: "Browser geben die Kamera nur sicheren Seiten (https). Sie können ohne sie weitermachen.",
      refused:
        "Die Kamera ist nicht erlaubt. Erlauben Sie sie in der Adressleiste des Browsers, oder machen Sie ohne sie weiter.",
      missing: "Keine Kamera gefunden. Schließen Sie eine an, oder machen Sie ohne sie weiter.",
      busy: "Ein anderes Programm benutzt die Kamera. Schließen Sie es, oder machen Sie ohne die Kamera weiter.",
      failed: "Die Kamera ging nicht an. Versuchen Sie es noch einmal, oder machen Sie ohne sie weiter.",
    },
  },
  buttons: {
    hear: "Tippen zum Hören",
    camera: "Kamera",
    ownCamera: "Ihre Kamera",
    puppet: "Nachsprechen",
    puppetNote: "Es sagt, was Sie tippen",
    talk: "Sprechen",
    listening: "Hört zu",
    stop: "Stopp",
    mute: "Ton aus",
    transcript: "Mitschrift",
    end: "Beenden",
  },
  typing: {
    ask: { button: "Senden", placeholder: "Nachricht tippen", label: "Nachricht an den Avatar", hint: "" },
    say: {
      button: "Sagen",
      placeholder: "Tippen Sie, was ich sagen soll",
      label: "Was der Avatar sagen soll",
      hint: "Nachsprechen: Es sagt, was Sie tippen.",
    },
  },
  charactersLeft: (count) => `Noch ${plural(count, "Zeichen", "Zeichen")}`,
  notSent: {
    tooMuch: "Sie haben zu viel auf einmal gesendet. Versuchen Sie es gleich noch einmal.",
    tooMuchFor: (seconds) =>
      `Sie haben zu viel auf einmal gesendet. Versuchen Sie es in ${plural(seconds, "Sekunde", "Sekunden")} noch einmal.`,
    invalid: "Dieser Text lässt sich nicht senden. Höchstens 500 Zeichen sind möglich.",
    offline: "Nicht gesendet: Der Dienst ist nicht erreichbar.",
    expired: "Nicht gesendet: Dieser Link ist abgelaufen.",
    failed: "Nicht gesendet. Versuchen Sie es noch einmal.",
  },
  answers: {
    knowledge: "Ich antworte aus meinen Dokumenten und denen dieses Produkts. Ich bin kein Sprachmodell.",
    documents: "Ich antworte aus den Dokumenten dieses Produkts. Ich bin kein Sprachmodell.",
    found: (model) => `${model} gefunden. Es antwortet jetzt.`,
  },
  cameraNote: {
    watched: "Mit allem, was Sie sagen, bekommt der Avatar ein Bild Ihrer Kamera. Bilder werden nicht aufbewahrt.",
    unseen: "Das Sprachmodell dieses Avatars nimmt keine Bilder an: Es sieht Sie nicht.",
  },
  kept: (days) => `Eine Mitschrift wird ${plural(days, "Tag", "Tage")} aufbewahrt.`,
  remembers: "Der Avatar erinnert sich, worüber Sie beim letzten Mal gesprochen haben.",
  transcript: {
    empty: "Was Sie beide sagen, steht hier.",
    you: "Sie",
    heading: (name, at) => `Gespräch mit ${name}, ${at}`,
    copy: "Text kopieren",
    copied: "Kopiert.",
    notCopied: "Dieser Browser erlaubt es nicht. Speichern Sie den Text stattdessen als Datei.",
    save: "Text speichern",
    fileName: "gespraech.txt",
  },
  minutes: (count) => plural(count, "Minute", "Minuten"),
  seconds: (count) => plural(count, "Sekunde", "Sekunden"),
  together: (length) => `Das Gespräch dauerte ${length}.`,
  retry: {
    again: "Noch einmal versuchen",
    talkAgain: "Noch einmal sprechen",
    now: "Jetzt versuchen",
    trying: "Neuer Versuch …",
    wait: (seconds) => `Neuer Versuch in ${seconds} s.`,
  },
  notices: {
    expired: {
      title: "Dieser Link ist abgelaufen",
      text: "Bitten Sie um einen neuen Link, oder gehen Sie zurück zu der Seite, von der Sie kamen.",
    },
    incomplete: {
      title: "Dieser Link ist unvollständig",
      text: "Ihm fehlt sein Schlüssel. Öffnen Sie den ganzen Link, wie Sie ihn bekommen haben.",
    },
    busy: { title: "Alle Avatare sind beschäftigt", text: "Zurzeit ist keiner frei." },
    notReady: { title: "Dieser Avatar ist noch nicht fertig", text: "Er wird noch gemacht." },
    gone: { title: "Diesen Avatar gibt es nicht", text: "Vielleicht wurde er entfernt. Prüfen Sie den Link." },
    unavailable: {
      title: "Dieser Avatar kann gerade nicht sprechen",
      text: "Sein Eigentümer muss nach dem Konto sehen. An Ihnen liegt es nicht.",
    },
    tomorrow: {
      title: "Das war alles für heute",
      text: "Dieser Avatar spricht jeden Tag eine gewisse Zeit. Kommen Sie morgen wieder.",
    },
    failed: { title: "Etwas ging schief", text: "Der Dienst hatte ein Problem. Versuchen Sie es noch einmal." },
    missing: { title: "Der Avatar kam nicht", text: "Der Start dauerte zu lange. Versuchen Sie es noch einmal." },
    offline: { title: "Keine Verbindung", text: "Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung." },
    restarting: { title: "Der Dienst startet neu", text: "Er ist gleich wieder da." },
    elsewhere: {
      title: "In einem anderen Fenster geöffnet",
      text: "Dieses Gespräch geht in einem anderen Tab oder Fenster weiter.",
    },
    ended: { title: "Das Gespräch ist zu Ende", text: "Danke für das Gespräch." },
    noMediaPath: {
      title: "Firefox erreicht den Avatar hier nicht",
      text: "Er sendet weder Ton noch Bild an einen Dienst auf demselben Rechner. Starten Sie diesen mit AVATAR_LIVEKIT_OWN_ADDRESS=1, oder öffnen Sie die Seite in einem anderen Browser.",
    },
    noVideoFormat: {
      title: "Dieser Browser kann das Video nicht zeigen",
      text: "Ihm fehlt das Videoformat, das gesendet wird. Nehmen Sie einen anderen Browser.",
    },
  },
  offers: {
    refused: {
      title: "Dieses Gesicht gibt es nur als Video",
      text: "Sein Eigentümer oder der Dienst erlaubt Browsern nicht, es zu zeichnen.",
    },
    browser: {
      title: "Dieser Browser kann das Gesicht nicht zeichnen",
      text: "Er ist zu alt, oder seine Einstellungen oder die Regeln dieser Seite verbieten WebAssembly oder Worker.",
    },
    bundle: {
      title: "Das Gesicht ließ sich nicht laden",
      text: "Seine Datei kam nicht an, ist unvollständig oder gehört zu einem anderen Avatar.",
    },
    stopped: { title: "Das Gesicht ist stehen geblieben", text: "Dieser Browser konnte es nicht weiter zeichnen." },
    busy: {
      title: "Zurzeit ist kein Video frei",
      text: "Der Dienst hat im Moment keinen Platz dafür. Alles andere geht weiter.",
    },
  },
  slow: {
    title: "Dieses Gerät ist langsam",
    text: (fps) =>
      `Es zeichnet ${fps} von 25 Bildern in der Sekunde. Der Dienst kann das Gesicht stattdessen als Video senden.`,
  },
  offerButtons: { video: "Video zeigen", again: "Noch einmal versuchen", without: "Ohne weiter", keep: "So lassen" },
};
