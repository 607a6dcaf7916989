// Texts of the API secrets.
import type { Texts } from "../en/index.ts";
import { pluralIn } from "../plural.ts";

const plural = pluralIn("es");

export const secrets: Texts["secrets"] = {
  title: "Secretos de API",
  lead: "Un programa que llama a este servicio envía uno de estos secretos. Puede hacer todo lo que puede su cuenta.",
  organizationLead:
    "Un programa con uno de estos secretos actúa en nombre de la organización, y paga el miembro que lo creó.",
  make: "Nuevo secreto",
  makeIt: "Crear",
  empty: "No hay ningún secreto en uso. Cree uno para cada programa: así podrá revocar cada uno por separado.",
  inUse: (count) => `${plural(count, "secreto", "secretos")} en uso`,
  name: "Nombre",
  value: "Valor",
  lastUse: "Último uso",
  created: "Creado",
  issuer: "Creado por",
  you: "Usted",
  actions: "Acción",
  never: "Sin usar",
  computer: "Ordenador",
  revoke: "Revocar",
  revokeOne: (name) => `Revocar ${name}`,
  revokeTitle: (name) => `¿Revocar ${name}?`,
  revokeNote:
    "Desde ahora se rechaza, y también todo token creado con él. Las sesiones que inició terminan en su próximo informe, en segundos. Quien inició sesión aquí con él queda desconectado. No se puede deshacer.",
  revoked: (name) => `${name} está revocado.`,
  nameNote: "Diga dónde se usa, por ejemplo laptop. Sin nombre recibe uno aleatorio.",
  nameProblem: "Letras, cifras, espacios, puntos, _, @ y guiones; una letra o cifra en ambos extremos.",
  keepSuspended: "Las sesiones siguen suspendidas",
  keepSuspendedNote:
    "Tras revocar todas las sesiones, un secreto nuevo vuelve a permitirlas, salvo que esto esté activado.",
  madeTitle: (name) => `El secreto ${name}`,
  madeNote: "Solo se muestra esta vez. Cópielo donde se vaya a usar.",
  resumed: "Ya se pueden iniciar sesiones de nuevo.",
  computers: "Ordenadores",
  computersNote:
    "Un ordenador que se conecta con un código recibe su propio secreto, que empieza por cli@. Revóquelo para desconectarlo.",
  signInComputer: "Conectar un ordenador",
  once: "Por qué un secreto se muestra una sola vez",
  onceNote:
    "El servicio solo guarda un hash, así que nadie puede volver a leerlo: get-value responde 403 también aquí. Si pierde un secreto, cree otro y revoque el perdido.",
  limits: "Límites del plan",
  limitsNote: "Valen para todos sus secretos juntos.",
  plan: "Plan",
  readRequests: "Solicitudes que leen",
  writeRequests: "Solicitudes que cambian algo",
  generateRequests: "Solicitudes que crean o terminan algo",
  perMinute: (count) => `${count} por minuto`,
  concurrent: "Sesiones a la vez",
  agents: "Agentes",
  unlimited: "sin límite",
  suspended: "Las sesiones están suspendidas. Un secreto nuevo vuelve a permitirlas.",
};
