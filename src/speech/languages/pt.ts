// Portuguese: of Portugal, and with its own number words and currency of Brazil.
import { toCardinal, toOrdinal } from "n2words/pt-PT";
import { type Language, twoStyles, wordSet } from "./language.ts";
import { withGender } from "./reading/romance.ts";
import { symbolsOf, unitsOf } from "./reading/signs-and-units.ts";
import type { SpeechLanguage } from "./reading/speech-language.ts";

const PORTUGUESE: SpeechLanguage = {
  code: "pt",
  cardinal: (value) => toCardinal(value),
  ordinal: (value, gender = "m") => withGender(toOrdinal(value), gender),
  agree(words, gender) {
    if (gender === "m") return words;
    return words
      .replace(/\bum$/, "uma")
      .replace(/\bdois$/, "duas")
      .replace(/centos(?= |$)/g, "centas");
  },
  year: (value) => PORTUGUESE.cardinal(BigInt(value)),
  date({ day, month, year }) {
    const said = `${day === 1 ? "primeiro" : toCardinal(day)} de ${PORTUGUESE.months[month - 1][0]}`;
    return year === undefined ? said : `${said} de ${toCardinal(year)}`;
  },
  clock(hour, minute) {
    const hours = PORTUGUESE.agree(toCardinal(hour), "f");
    return minute === 0
      ? `${hours} ${hour === 1 ? "hora" : "horas"}`
      : `${hours} e ${minute === 30 ? "meia" : toCardinal(minute)}`;
  },
  decimalMark: ",",
  months: [
    ["janeiro", "jan"],
    ["fevereiro", "fev"],
    ["março", "mar"],
    ["abril", "abr"],
    ["maio", "mai"],
    ["junho", "jun"],
    ["julho", "jul"],
    ["agosto", "ago"],
    ["setembro", "set"],
    ["outubro", "out"],
    ["novembro", "nov"],
    ["dezembro", "dez"],
  ],
  words: {
    point: "vírgula",
    minus: "menos",
    plus: "mais",
    to: "a",
    ratio: "para",
    per: "por",
    by: "por",
    at: "arroba",
    dot: "ponto",
    slash: "barra",
    dash: "hífen",
    underscore: "sublinhado",
    over: "sobre",
    number: "número",
    hashtag: "hashtag",
    and: "e",
    moneyAnd: "e",
    about: "cerca de",
  },
  symbols: symbolsOf({
    and: "e",
    at: "arroba",
    plus: "mais",
    equals: "igual a",
    percent: "por cento",
    times: "vezes",
    less: "menor que",
    greater: "maior que",
    section: "secção",
    minus: "menos",
    squared: "ao quadrado",
    cubed: "ao cubo",
    power: "elevado a",
  }),
  units: unitsOf({
    "%": ["por cento", "por cento"],
    "‰": ["por mil", "por mil"],
    "°C": ["grau Celsius", "graus Celsius"],
    "°F": ["grau Fahrenheit", "graus Fahrenheit"],
    "°": ["grau", "graus"],
    km: ["quilómetro", "quilómetros"],
    m: ["metro", "metros"],
    cm: ["centímetro", "centímetros"],
    mm: ["milímetro", "milímetros"],
    "m²": ["metro quadrado", "metros quadrados"],
    "km²": ["quilómetro quadrado", "quilómetros quadrados"],
    "m³": ["metro cúbico", "metros cúbicos"],
    "km/h": ["quilómetro por hora", "quilómetros por hora"],
    "m/s": ["metro por segundo", "metros por segundo"],
    kg: ["quilo", "quilos"],
    g: ["grama", "gramas"],
    mg: ["miligrama", "miligramas"],
    t: ["tonelada", "toneladas", "f"],
    l: ["litro", "litros"],
    ml: ["mililitro", "mililitros"],
    h: ["hora", "horas", "f"],
    min: ["minuto", "minutos"],
    s: ["segundo", "segundos"],
    ms: ["milissegundo", "milissegundos"],
    KB: ["kilobyte", "kilobytes"],
    MB: ["megabyte", "megabytes"],
    GB: ["gigabyte", "gigabytes"],
    TB: ["terabyte", "terabytes"],
    Hz: ["hertz", "hertz"],
    MHz: ["mega-hertz", "mega-hertz"],
    GHz: ["giga-hertz", "giga-hertz"],
    W: ["watt", "watts"],
    kW: ["quilowatt", "quilowatts"],
    kWh: ["quilowatt hora", "quilowatts hora"],
    V: ["volt", "volts"],
    dB: ["decibel", "decibéis"],
    ha: ["hectare", "hectares"],
  }),
  currencies: {
    "€": { unit: ["euro", "euros"], part: ["cêntimo", "cêntimos"] },
    EUR: { unit: ["euro", "euros"], part: ["cêntimo", "cêntimos"] },
    R$: { unit: ["real", "reais"], part: ["centavo", "centavos"] },
    BRL: { unit: ["real", "reais"], part: ["centavo", "centavos"] },
    $: { unit: ["dólar", "dólares"], part: ["cêntimo", "cêntimos"] },
    US$: { unit: ["dólar americano", "dólares americanos"], part: ["cêntimo", "cêntimos"] },
    USD: { unit: ["dólar americano", "dólares americanos"], part: ["cêntimo", "cêntimos"] },
    "£": { unit: ["libra", "libras", "f"], part: ["péni", "pence"] },
    GBP: { unit: ["libra", "libras", "f"], part: ["péni", "pence"] },
    "¥": { unit: ["iene", "ienes"] },
    JPY: { unit: ["iene", "ienes"] },
    CHF: { unit: ["franco suíço", "francos suíços"], part: ["cêntimo", "cêntimos"] },
  },
  magnitudes: {
    mil: ["mil", "mil"],
    milhão: ["milhão", "milhões"],
    milhões: ["milhão", "milhões"],
    mi: ["milhão", "milhões"],
    bilião: ["bilião", "biliões"],
    biliões: ["bilião", "biliões"],
    bilhão: ["bilhão", "bilhões"],
    bilhões: ["bilhão", "bilhões"],
    bi: ["bilhão", "bilhões"],
    k: ["mil", "mil"],
    M: ["milhão", "milhões"],
  },
  ofMillion: (noun) => `de ${noun}`,
  abbreviations: {
    "sr.": { said: "senhor" },
    "sra.": { said: "senhora" },
    "srs.": { said: "senhores" },
    "dr.": { said: "doutor" },
    "dra.": { said: "doutora" },
    "prof.": { said: "professor" },
    "profa.": { said: "professora" },
    "eng.": { said: "engenheiro" },
    "av.": { said: "avenida" },
    "r.": { said: "rua" },
    "d.": { said: "dom" },
    "etc.": { said: "etcétera", mayEnd: true },
    "p.ex.": { said: "por exemplo" },
    "ex.": { said: "exemplo" },
    "aprox.": { said: "aproximadamente" },
    "n.º": { said: "número", beforeNumber: true },
    "nº.": { said: "número", beforeNumber: true },
    "núm.": { said: "número", beforeNumber: true },
    "pág.": { said: "página", beforeNumber: true },
    "págs.": { said: "páginas", beforeNumber: true },
    "cap.": { said: "capítulo", beforeNumber: true },
    "vol.": { said: "volume", beforeNumber: true },
    "art.": { said: "artigo", beforeNumber: true },
    "tel.": { said: "telefone" },
    "a.c.": { said: "antes de Cristo", mayEnd: true },
    "d.c.": { said: "depois de Cristo", mayEnd: true },
    "s.a.": { said: "S A", mayEnd: true },
    "ltda.": { said: "limitada", mayEnd: true },
    "lda.": { said: "limitada", mayEnd: true },
    "máx.": { said: "máximo" },
    "mín.": { said: "mínimo" },
  },
  sayings: {
    ok: "okay",
    nº: "número",
    "c++": "C mais mais",
    "e/ou": "e ou",
    "n.º": "número",
    "24/7": "vinte e quatro sete",
    onu: "onu",
    nato: "nato",
    iva: "iva",
    nasa: "nasa",
    wifi: "wi-fi",
    covid: "covid",
    eua: "E U A",
    sida: "sida",
  },
  starters: wordSet(
    "o a os as um uma este esta isto esse ele ela eles nós eu tu você em por para com de mas e ou se quando enquanto depois antes porque aqui ali que quem como onde seu meu não sim agora hoje amanhã ontem também além",
  ),
  fractions: {
    "1/2": "um meio",
    "1/3": "um terço",
    "2/3": "dois terços",
    "1/4": "um quarto",
    "3/4": "três quartos",
    "1/5": "um quinto",
    "1/8": "um oitavo",
    "1/10": "um décimo",
  },
  feminine: /(?:as?|ção|ções|dades?|vez|vezes|noites?)$/,
  ordinalMarks: { º: "m", "°": "m", ".º": "m", ª: "f", ".ª": "f" },
  roman: (value, before) =>
    value <= 10 && !/^(?:século|capítulo|parte|tomo)$/.test(before)
      ? toOrdinal(value)
      : PORTUGUESE.cardinal(BigInt(value)),
  isYear: () => false,
  decimals: "number",
};

/** Brazil says and spells some numbers otherwise, and pays in reais. */
const BRAZILIAN_NUMBERS: readonly (readonly [RegExp, string])[] = [
  [/dezasseis/g, "dezesseis"],
  [/dezassete/g, "dezessete"],
  [/dezanove/g, "dezenove"],
  [/mil milhões/g, "bilhões"],
  [/bilião/g, "trilhão"],
  [/biliões/g, "trilhões"],
];

function brazilian(words: string): string {
  return BRAZILIAN_NUMBERS.reduce((said, [from, to]) => said.replace(from, to), words);
}

const CENTAVO = ["centavo", "centavos"] as const;

const BRAZILIAN: SpeechLanguage = {
  ...PORTUGUESE,
  code: "pt-br",
  cardinal: (value) => (value === 1_000_000_000n ? "um bilhão" : brazilian(toCardinal(value))),
  date: (date, before) => brazilian(PORTUGUESE.date(date, before)),
  clock: (hour, minute) => brazilian(PORTUGUESE.clock(hour, minute)),
  year: (value) => brazilian(toCardinal(value)),
  units: Object.fromEntries(
    Object.entries(PORTUGUESE.units).map(([sign, [one, many, gender]]) => [
      sign,
      [one.replace("quilóm", "quilôm"), many.replace("quilóm", "quilôm"), gender] as const,
    ]),
  ),
  currencies: Object.fromEntries(
    Object.entries(PORTUGUESE.currencies).map(([sign, { unit, part }]) => [
      sign,
      { unit, part: part?.[0] === "cêntimo" ? CENTAVO : part },
    ]),
  ),
};

export const PT: Language = {
  englishNames: ["portuguese"],
  greeting: (name) => (name ? `Olá, eu sou ${name}. Como posso ajudar?` : "Olá. Como posso ajudar?"),
  fixedSentences: {
    failed: "Desculpe, não consigo responder agora. Pergunte outra vez, por favor.",
    "no-llm": "Consigo ouvir, mas não tenho um modelo de linguagem para responder.",
    "not-understood": "Desculpe, não entendi. Pode repetir?",
  },
  backchannels: "sim|ok|okay|ta|ta bom|certo|entendi|pois|pois e|claro|exato|bem",
  cues: [
    ["laugh_react", "haha|hahaha|kkk|rsrs|que engracado"],
    ["mini_wave_hello", "ola|oi|bem vindo|bem vinda|bom dia|boa tarde|boa noite|tchau|ate logo"],
    ["celebration_jump", "parabens|conseguimos|viva"],
    ["surprise", "uau|serio|nossa|incrivel|de verdade"],
    ["shake", "nao|infelizmente|sinto muito|desculpe|lamento"],
    ["thinking", "hmm|deixe me pensar|deixa eu pensar|vejamos|boa pergunta"],
    ["nod", "sim|claro|com certeza|exato|exatamente|concordo|certamente"],
    ["thumbs_up_pulse", "otimo|perfeito|excelente|muito bem|fantastico"],
    ["heart_hands", "obrigado|obrigada|de nada|adoro|com prazer"],
  ],
  frequentWords: wordSet(
    "o os uma você é e com que para em do da não um seu dos das por mais como são sua pelo também " + "foi",
  ),
  textSearch: "portuguese",
  neural: {
    // The network's Portuguese voices are Brazilian.
    styles: twoStyles("pf_dora", "pm_alex"),
    phonemeLanguage: "pt-br",
    textLanguage: "pt-BR",
    otherRegions: ["pt"],
  },
  speech: PORTUGUESE,
  regionalSpeech: { br: BRAZILIAN },
};
