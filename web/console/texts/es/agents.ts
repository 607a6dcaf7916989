// Texts of agents: their cards, the choice of one, and their view.
import type { Texts } from "../en/index.ts";
import { pluralIn } from "../plural.ts";

const plural = pluralIn("es");

export const agents: Texts["agents"] = {
  title: "Agentes",
  lead: "Rostros con voz y carácter. Elija uno para verlo, cambiarlo y hablar con él.",
  status: "Estado",
  filters: { all: "Todos", ready: "Listos", processing: "En espera", generating: "En creación", failed: "Fallidos" },
  unnamed: "Sin nombre",
  statuses: {
    ready: "Listo",
    waiting: "En espera",
    making: "En creación",
    marking: "Faltan puntos del rostro",
    failed: "Fallido",
    deleted: "Eliminado",
  },
  progress: (percent) => `${percent} hecho`,
  empty: "Todavía no tiene agentes. Cree uno a partir de una foto o de una descripción.",
  create: "Crear un agente",
  choose: "Elegir un agente",
  count: (count) => plural(count, "agente", "agentes"),
};

export const voicePicker: Texts["voicePicker"] = {
  own: "Voz propia",
  designed: "Diseñada para un agente",
  female: "Una mujer",
  male: "Un hombre",
  fetched: "Descargada por el operador",
  note: "Elija una voz para oírla.",
  playing: "Ahora se oye.",
};
