// Texts of the embed page in Spanish.
import { pluralIn } from "../../shared/plural.ts";
import type { EmbedTexts } from "./en.ts";

const plural = pluralIn("es");

export const es: EmbedTexts = {
  language: "es",
  stage: {
    states: {
      waiting: "Conectando",
      idle: "Listo",
      listening: "Escucha",
      thinking: "Piensa",
      speaking: "Habla",
      lost: "Reconectando",
      away: "",
    },
    face: "Cara que habla",
    faceOf: (name) => `Cara de ${name}, que habla`,
    generated: "Cara generada por IA",
  },
  loading: (percent) => `Cargando la cara: ${percent} %`,
  gestures: {
    mini_wave_hello: "Hola",
    nod: "Asentir",
    shake: "No",
    wink: "Guiño",
    laugh: "Risa",
    surprise: "Sorpresa",
    blow_kiss_heart: "Beso",
  },
  moods: {
    group: "Ánimo",
    neutral: "Neutral",
    happy: "Alegría",
    sad: "Tristeza",
    angry: "Enfado",
    surprised: "Asombro",
    afraid: "Miedo",
    disgusted: "Asco",
    content: "Satisfacción",
  },
  gestureFailed: "El avatar no hizo ese gesto. Inténtelo de nuevo.",
  moodFailed: "El avatar no tomó ese ánimo. Inténtelo de nuevo.",
  devices: {
    microphone: {
      insecure: "Los navegadores dan el micrófono solo a páginas seguras (https). Puede escribir.",
      refused: "El micrófono no está permitido. Permítalo en la barra de direcciones del navegador, o escriba.",
      missing: "No se encontró ningún micrófono. Conecte uno, o escriba.",
      busy: "Otro programa usa el micrófono. Ciérrelo, o escriba.",
      failed: "El micrófono no se encendió. Inténtelo de nuevo, o escriba.",
    },
    camera: {
      insecure: "Los navegadores dan la cámara solo a páginas seguras (https). Puede seguir sin ella.",
      refused: "La cámara no está permitida. Permítala en la barra de direcciones del navegador, o siga sin ella.",
      missing: "No se encontró ninguna cámara. Conecte una, o siga sin ella.",
      busy: "Otro programa usa la cámara. Ciérrelo, o siga sin ella.",
      failed: "La cámara no se encendió. Inténtelo de nuevo, o siga sin ella.",
    },
  },
  buttons: {
    hear: "Toque para oír",
    camera: "Cámara",
    ownCamera: "Su cámara",
    puppet: "Dictar",
    puppetNote: "Dice lo que usted escribe",
    talk: "Hablar",
    listening: "Escucha",
    stop: "Parar",
    mute: "Silenciar",
    transcript: "Transcripción",
    end: "Terminar",
  },
  typing: {
    ask: { button: "Enviar", placeholder: "Escriba un mensaje", label: "Mensaje para el avatar", hint: "" },
    say: {
      button: "Decirlo",
      placeholder: "Escriba lo que debo decir",
      label: "Lo que debe decir el avatar",
      hint: "Dictar: dice lo que usted escribe.",
    },
  },
  charactersLeft: (count) => `Caracteres que quedan: ${count}`,
  notSent: {
    tooMuch: "Ha enviado demasiado de una vez. Inténtelo de nuevo en un momento.",
    tooMuchFor: (seconds) =>
      `Ha enviado demasiado de una vez. Inténtelo de nuevo en ${plural(seconds, "segundo", "segundos")}.`,
    invalid: "Ese texto no se puede enviar. Use como máximo 500 caracteres.",
    offline: "No enviado: no se puede llegar al servicio.",
    expired: "No enviado: este enlace ha caducado.",
    failed: "No enviado. Inténtelo de nuevo.",
  },
  answers: {
    knowledge: "Respondo con mis documentos y los de este producto. No soy un modelo de lenguaje.",
    documents: "Respondo con los documentos de este producto. No soy un modelo de lenguaje.",
    found: (model) => `Se encontró ${model}. Ahora responde ese modelo.`,
  },
  cameraNote: {
    watched: "Con cada cosa que usted dice, el avatar recibe una imagen de su cámara. Las imágenes no se guardan.",
    unseen: "El modelo de lenguaje de este avatar no acepta imágenes: no le ve.",
  },
  kept: (days) => `La transcripción se guarda ${plural(days, "día", "días")}.`,
  remembers: "El avatar recuerda de qué hablaron la última vez.",
  transcript: {
    empty: "Aquí se escribe lo que dicen los dos.",
    you: "Usted",
    heading: (name, at) => `Conversación con ${name}, ${at}`,
    copy: "Copiar el texto",
    copied: "Copiado.",
    notCopied: "Este navegador no lo permite. Guárdelo como archivo.",
    save: "Guardar el texto",
    fileName: "conversacion.txt",
  },
  minutes: (count) => plural(count, "minuto", "minutos"),
  seconds: (count) => plural(count, "segundo", "segundos"),
  together: (length) => `La conversación duró ${length}.`,
  retry: {
    again: "Intentar de nuevo",
    talkAgain: "Hablar otra vez",
    now: "Intentar ahora",
    trying: "Intentando de nuevo …",
    wait: (seconds) => `Nuevo intento en ${seconds} s.`,
  },
  notices: {
    expired: {
      title: "Este enlace ha caducado",
      text: "Pida un enlace nuevo, o vuelva a la página de la que vino.",
    },
    incomplete: {
      title: "Este enlace está incompleto",
      text: "Le falta su clave. Abra el enlace entero, tal como lo recibió.",
    },
    busy: { title: "Todos los avatares están ocupados", text: "En este momento no hay ninguno libre." },
    notReady: { title: "Este avatar todavía no está listo", text: "Todavía se está creando." },
    gone: { title: "Ese avatar no existe", text: "Quizá se haya eliminado. Compruebe el enlace." },
    unavailable: {
      title: "Este avatar no puede hablar ahora",
      text: "Su propietario debe revisar la cuenta. No es culpa suya.",
    },
    tomorrow: {
      title: "Eso es todo por hoy",
      text: "Este avatar habla cierto tiempo cada día. Vuelva mañana.",
    },
    failed: { title: "Algo ha fallado", text: "El servicio tuvo un problema. Inténtelo de nuevo." },
    missing: { title: "El avatar no llegó", text: "Tardó demasiado en empezar. Inténtelo de nuevo." },
    offline: { title: "Sin conexión", text: "No se puede llegar al servicio. Compruebe su conexión." },
    restarting: { title: "El servicio se está reiniciando", text: "Vuelve en un momento." },
    elsewhere: {
      title: "Abierta en otra ventana",
      text: "Esta conversación sigue en otra pestaña o ventana.",
    },
    ended: { title: "La conversación ha terminado", text: "Gracias por hablar." },
    noMediaPath: {
      title: "Firefox no llega aquí al avatar",
      text: "No envía audio ni vídeo a un servicio en la misma máquina. Inícielo con AVATAR_LIVEKIT_OWN_ADDRESS=1, o abra esta página en otro navegador.",
    },
    noVideoFormat: {
      title: "Este navegador no puede mostrar el vídeo",
      text: "Le falta el formato de vídeo que se envía. Pruebe con otro navegador.",
    },
  },
  offers: {
    refused: {
      title: "Esta cara solo se ofrece como vídeo",
      text: "Su propietario o el servicio no permite que los navegadores la dibujen.",
    },
    browser: {
      title: "Este navegador no puede dibujar la cara",
      text: "Es demasiado antiguo, o sus ajustes o las normas de esta página prohíben WebAssembly o los workers.",
    },
    bundle: {
      title: "No se pudo cargar la cara",
      text: "Su archivo no llegó, está incompleto o es de otro avatar.",
    },
    stopped: { title: "La cara se ha detenido", text: "Este navegador no pudo seguir dibujándola." },
    busy: {
      title: "Ahora no hay ningún vídeo libre",
      text: "El servicio no tiene sitio para él en este momento. Todo lo demás sigue.",
    },
  },
  slow: {
    title: "Este dispositivo es lento",
    text: (fps) => `Dibuja ${fps} de 25 imágenes por segundo. El servicio puede enviar la cara como vídeo en su lugar.`,
  },
  offerButtons: {
    video: "Mostrar el vídeo",
    again: "Intentar de nuevo",
    without: "Seguir sin él",
    keep: "Dejarlo así",
  },
};
