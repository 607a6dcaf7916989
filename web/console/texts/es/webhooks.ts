// Texts of the view of webhooks.
import type { Texts } from "../en/index.ts";
import { pluralIn } from "../plural.ts";

const plural = pluralIn("es");

export const webhooks: Texts["webhooks"] = {
  title: "Webhooks",
  lead: "El servicio llama a su servidor cuando ocurre algo: un agente está listo, un vídeo ha terminado, una conversación sigue.",
  ownOnly:
    "Los webhooks pertenecen a una persona. Ha iniciado sesión con el secreto de una organización: puede verlos, pero no cambiarlos ni probarlos.",
  registered: "Webhooks registrados",
  empty:
    "Aún no hay ningún webhook. Registre abajo la dirección de su servidor, guarde el secreto que se muestra una vez y envíe una prueba.",
  session: "Webhook de sesiones",
  sessionLead: "Uno para la cuenta: quién entra en una conversación y cada mensaje de ella.",
  setUp: "Configurarlo",
  one: "Webhook",
  settings: "Ajustes",
  add: "Registrar un webhook",
  url: "Dirección de su servidor",
  urlNote: "Empieza por https://",
  description: "Nota, para usted",
  created: "Registrado",
  events: "Eventos",
  allEvents: "Todos los eventos",
  everyEvent: "Todos los eventos",
  everyEventNote: "También los de versiones posteriores.",
  eventNotes: {
    "agent.ready": "Se ha creado un agente.",
    "agent.failed": "No se pudo crear un agente.",
    "video.completed": "Un vídeo está listo.",
    "video.failed": "No se pudo hacer un vídeo.",
    "dynamics.ready": "Los gestos están listos.",
    "dynamics.failed": "No se pudieron hacer los gestos.",
    "room.join": "Ha empezado una conversación.",
    "chat.push": "Un mensaje está completo: de la persona o del agente.",
  },
  register: "Registrar",
  secret: "Secreto del webhook",
  secretTitle: "El secreto de este webhook",
  secretNote:
    "Su servidor comprueba las firmas con él. Cópielo ahora: se muestra esta única vez y después desaparece también de esta página.",
  test: "Enviar una prueba",
  testing: "Enviando …",
  testOf: (name) => `Enviar una prueba a ${name}`,
  outcome: (isDelivered, status) =>
    status === null
      ? "Su servidor no respondió. La entrega dice por qué."
      : isDelivered
        ? `Entregado: su servidor respondió ${status}.`
        : `No entregado: su servidor respondió ${status}, no 2xx.`,
  pause: "Pausar",
  resume: "Reanudar",
  paused: "en pausa",
  pausedTitle: "Este webhook está en pausa.",
  pausedNote:
    "Lo pausó su propietario, aquí o desde un programa; el servicio nunca lo hace. Solo se le envían pruebas. Lo que ocurra mientras tanto no se enviará después.",
  deleteTitle: "Eliminar el webhook",
  deleteNote: (url) => `No se envía nada más a ${url}. Se olvida lo enviado y se descartan las entregas que esperan.`,
  rotate: "Crear otro secreto",
  rotateNote:
    "El secreto actual deja de valer de inmediato. Su servidor rechaza las entregas hasta que tenga el nuevo.",
  remove: "Quitar el webhook",
  headers: "Cabeceras propias",
  headersNote: "Sustituyen a todas las anteriores. Los valores no se vuelven a mostrar: escríbalos todos.",
  noHeaders: "Ninguna. Por ejemplo, se puede añadir un token a cada entrega.",
  hiddenValue: "valor oculto",
  addHeaders: "Añadir cabeceras",
  replaceHeaders: "Sustituir las cabeceras",
  addHeader: "Otra cabecera",
  headerName: (row) => `Nombre de la cabecera ${row}`,
  headerValue: (row) => `Valor de la cabecera ${row}`,
  removeHeader: (row) => `Quitar la cabecera ${row}`,
  deliveries: "Entregas",
  retries:
    "Su servidor tiene 10 s para responder 2xx. Si no, la entrega se repite tras 2, 5 y 30 s, y luego se abandona. Las entregas de un agente mantienen su orden: una posterior espera a la anterior.",
  sessionRetries:
    "Su servidor tiene 30 s para responder 2xx. Si no, la entrega se repite tras 1, 5 y 30 s, y luego se abandona. Las entregas de una conversación mantienen su orden: una posterior espera a la anterior.",
  noDeliveries: "Aún no se ha enviado nada. Una prueba aparece aquí.",
  ofSession: "De la sesión",
  allDeliveries: "Todas",
  noneOfSession: "De esta sesión no se ha enviado nada.",
  newest: (event, state) => `La última: ${event}, ${state}.`,
  states: { delivered: "entregado", waiting: "en espera", retrying: "se repetirá", gaveUp: "no entregado" },
  isTest: "prueba",
  attempts: (count) => plural(count, "intento", "intentos"),
  lastAnswer: (status) => (status === null ? "sin respuesta" : `respuesta ${status}`),
  nextIn: (seconds) => `próximo intento en ${plural(seconds, "segundo", "segundos")}`,
  nextNow: "próximo intento ahora",
  attemptsOf: (event) => `Intentos de entregar ${event}`,
  attempt: "Intento",
  time: "Hora",
  answer: "Respuesta",
  taken: "Duración",
  testFailed: "Las pruebas se envían una vez. Envíe otra cuando su servidor esté listo.",
  gaveUpNote: "No se envía de nuevo. Lea lo que se ha perdido a través de la API.",
  body: "Cuerpo enviado",
  deliveryId: "Entrega",
  check: "Comprobar una firma",
  checkLead: "¿Una entrega es de verdad de este servicio, y sin cambios?",
  checkTitle: "Comprobador de firmas",
  checkNote:
    "Pegue lo que recibió su servidor. Todo se comprueba en esta pestaña: nada de ello, y sobre todo no el secreto, se envía ni se guarda.",
  rawBody: "Cuerpo, tal como llegó",
  rawBodyNote: "Byte por byte, antes de que un programa lo interprete.",
  receivedHeaders: "Cabeceras, una por línea",
  checkSecretNote: "Se queda en esta pestaña.",
  checkIt: "Comprobar",
  genuine: "verificado",
  genuineNote: (event, family) => `Es auténtica: el evento ${event} de ${family}.`,
  families: { registered: "un webhook registrado", session: "el webhook de sesiones" },
  notGenuine: "no verificado",
  faults: {
    "no-secret": "Falta el secreto.",
    "secret-shape":
      "Esto no es el secreto de un webhook: este es whsec_ y 64 cifras. Los secretos de API y los de otros servicios no valen.",
    "no-signature": "Falta la cabecera X-Service-Signature. Puede que algo la quitara por el camino.",
    "signature-shape": "La firma está incompleta: es sha256= y 64 cifras.",
    "no-timestamp": "Falta la cabecera X-Service-Timestamp. La firma la incluye.",
    "not-json": "El cuerpo no es JSON. Péguelo entero.",
    "space-around": "Se añadió o se quitó espacio al cuerpo. Sin eso, la firma es correcta.",
    rewritten:
      "El cuerpo se interpretó y se escribió de nuevo. Dice lo mismo, pero la firma es de los bytes enviados. Use el cuerpo sin procesar.",
    mismatch:
      "La firma no es de este cuerpo, esta hora y este secreto. El secreto puede ser de otro webhook o el anterior; o se cambió el cuerpo o la cabecera con la hora.",
    "too-old":
      "La firma es correcta, pero la entrega tiene más de 5 minutos: puede que se grabara y se enviara de nuevo.",
    "in-future": "La firma es correcta, pero la entrega es del futuro: un reloj va mal.",
  },
  apart: (length) => `(a ${length} del reloj de este ordenador)`,
  codeTitle: "Lo mismo en su servidor",
  codeNote:
    "Para ambos tipos de webhooks, sin más paquetes. El paquete @open-avatar/client también tiene webhooks.verify.",
  copyCode: (language) => `Copiar el código de ${language}`,
};
