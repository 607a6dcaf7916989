// Texts of the voices.
import type { Texts } from "../en/index.ts";
import { pluralIn } from "../plural.ts";

const plural = pluralIn("es");

export const voices: Texts["voices"] = {
  title: "Voces",
  lead: "Escuche cada voz: con su propia frase o con las palabras de usted. Marque algunas para oírlas una tras otra.",
  words: "Sus palabras",
  wordsNote: "Si está vacío, cada voz dice una frase propia en inglés.",
  wordsLanguage: "Idioma de sus palabras",
  speaks: "Habla",
  anyLanguage: "cualquier idioma",
  sounds: "Suena como",
  genders: { any: "cualquiera", female: "una mujer", male: "un hombre" },
  kinds: {
    builtin: "Voz de este servicio",
    custom: "Diseñada para un agente",
    fetched: "Descargada por el operador",
  },
  languages: (count) => plural(count, "idioma", "idiomas"),
  shown: (count) => (count === 0 ? "Ninguna voz es así." : plural(count, "voz", "voces")),
  hear: "Escuchar",
  hearVoice: (name) => `Escuchar a ${name}`,
  stop: "Parar",
  stopVoice: (name) => `Parar a ${name}`,
  speaking: (name) => `Habla ${name}.`,
  compare: "Comparar",
  compareVoice: (name) => `Comparar a ${name}`,
  hearMarked: (count) => `Escuchar las ${count} marcadas una tras otra`,
  copyId: "Copiar id",
  usedBy: "La usan",
  more: (count) => `y ${count} más`,
  download: (name) => `Descargar lo que ha dicho ${name}`,
  design: "Diseñar una voz",
  designNote:
    "Parte de una voz de este servicio. Después, su código la representa: como voz de un agente o en llamadas.",
  base: "Parte de",
  axes: {
    gender: "Más grave – más aguda, con la garganta",
    pitch: "Más baja – más alta",
    rate: "Más lenta – más rápida",
    brightness: "Más apagada – más brillante",
  },
  reset: "Como estaba",
  hearDesigned: "Escucharla",
  designed: "Voz diseñada",
  code: "Su código",
  copyCode: "Copiar código",
};
