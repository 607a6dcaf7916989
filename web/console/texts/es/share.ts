// Textos de la vista que comparte agentes.
import type { Texts } from "../en/index.ts";
import { pluralIn } from "../plural.ts";

const plural = pluralIn("es");

export const share: Texts["share"] = {
  title: "Compartir",
  lead: "Elija un agente para compartirlo y obtener el código para un sitio.",
  embedding: "Código para un sitio",
  form: "Forma",
  embeddings: {
    floating: "Flota en una esquina",
    chat: "Chat en una esquina",
    inline: "Elemento de la página",
    frame: "Marco, sin script",
    react: "React",
    npm: "Paquete npm",
  },
  theme: "Tema",
  themes: { light: "Claro", dark: "Oscuro", auto: "Como el sistema del visitante" },
  colour: "Color de los botones",
  colours: {
    blue: "Azul",
    purple: "Morado",
    green: "Verde",
    red: "Rojo",
    orange: "Naranja",
    teal: "Verde azulado",
    pink: "Rosa",
    indigo: "Índigo",
  },
  shape: "Forma de la cara",
  shapes: { rounded: "Redondeada", circle: "Círculo", square: "Cuadrado" },
  position: "Esquina",
  positions: {
    "bottom-right": "Abajo a la derecha",
    "bottom-left": "Abajo a la izquierda",
    "top-right": "Arriba a la derecha",
    "top-left": "Arriba a la izquierda",
  },
  copyCode: "Copiar el código",
  preview: "Vista previa",
  previewNote:
    "Una página con exactamente este código. Una conversación en ella cuesta lo mismo que la de un visitante.",
  notPublic:
    "Este agente no es público, así que este código por sí solo no lo muestra: hágalo público abajo, o emita tokens de inserción en su servidor y déselos al widget (getToken).",
  moreOptions: "Hay más opciones.",
  reference: "Referencia de la API",
  access: "Quién puede verlo",
  isPublic: "Público",
  isPublicNote: "Los visitantes no necesitan token. Usted paga sus conversaciones, dentro de los límites de abajo.",
  origins: "Sitios que pueden mostrarlo",
  originsNote:
    "Uno por línea: https://shop.example, https://*.shop.example, http://localhost:3000. Sin ninguno, ningún otro sitio puede mostrarlo; su propia dirección sigue funcionando. Esta consola siempre puede.",
  minutes: "Minutos de un visitante al día",
  minutesNote: "Todos los visitantes de una dirección de red juntos tienen diez veces más.",
  sessions: "Sesiones de todos los visitantes al día",
  sessionsNote: "Los días son UTC. A quien llega después se le pide que vuelva mañana.",
  between: (least, most) => `Un número entero de ${least} a ${most}.`,
  links: "Enlaces",
  publicPage: "Página pública",
  noPublicPage: "No tiene hasta que sea público.",
  shortLinks: "Enlaces cortos",
  shortLinksNote:
    "Para las personas a quienes se lo envíe, también si el agente no es público. Un enlace termina solo.",
  lasts: "Termina después de",
  days: (count) => plural(count, "día", "días"),
  makeLink: "Crear un enlace corto",
  until: (time) => `Funciona hasta el ${time}`,
  withdraw: "Retirar",
  withdrawLink: (url) => `Retirar ${url}`,
  rendering: "Dibujo en navegadores",
  renderingLabel: "Los navegadores de los visitantes pueden dibujar la cara",
  renderings: {
    default: "Los de visitantes que un token nombra",
    allowed: "Todos, también los de una página pública",
    forbidden: "Ninguno: el archivo del modelo nunca sale del servicio",
  },
  renderingNote: "Un navegador que dibuja recibe el archivo del modelo del agente. Sus minutos cuestan menos.",
};
