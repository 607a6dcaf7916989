// English, as it is said in America.
import { toCardinal, toOrdinal } from "n2words/en-US";
import { type Language, wordSet } from "./language.ts";
import { ENGLISH_ABBREVIATIONS, ENGLISH_SAYINGS, ENGLISH_STARTERS } from "./reading/english-words.ts";
import { unitsOf } from "./reading/signs-and-units.ts";
import type { SpeechLanguage } from "./reading/speech-language.ts";

const cardinal = (value: bigint | number) => toCardinal(value);
/** Before these a number counts things, before the others it ranks rulers: `World War two`, `Henry the eighth`. */
const ROMAN_COUNTS = wordSet(
  "war chapter part act volume phase type level class section title article book stage grade bowl episode season " +
    "version mark round step appendix table figure vol",
);
const BEFORE_YEAR = wordSet("in since of from until till by before after during around circa year late early mid");
const CENT = ["cent", "cents"] as const;

const ENGLISH: SpeechLanguage = {
  code: "en",
  cardinal,
  ordinal: (value) => toOrdinal(value),
  agree: (words) => words,
  year: sayYear,
  date({ day, month, year }) {
    const said = `${ENGLISH.months[month - 1][0]} ${toOrdinal(day)}`;
    return year === undefined ? said : `${said}, ${sayYear(year)}`;
  },
  clock(hour, minute, half) {
    const minutes =
      minute === 0
        ? half || hour > 12 || hour === 0
          ? ""
          : "o'clock"
        : minute < 10
          ? `oh ${cardinal(minute)}`
          : cardinal(minute);
    const isHundred = minute === 0 && !half && (hour > 12 || hour === 0);
    const parts = [cardinal(hour), isHundred ? "hundred" : minutes, half ? (half === "am" ? "A M" : "P M") : ""];
    return parts.filter(Boolean).join(" ");
  },
  decimalMark: ".",
  monthFirst: true,
  months: [
    ["January", "jan"],
    ["February", "feb"],
    ["March", "mar"],
    ["April", "apr"],
    ["May"],
    ["June", "jun"],
    ["July", "jul"],
    ["August", "aug"],
    ["September", "sept", "sep"],
    ["October", "oct"],
    ["November", "nov"],
    ["December", "dec"],
  ],
  words: {
    point: "point",
    minus: "minus",
    plus: "plus",
    to: "to",
    ratio: "to",
    per: "per",
    by: "by",
    at: "at",
    dot: "dot",
    slash: "slash",
    dash: "dash",
    underscore: "underscore",
    over: "out of",
    number: "number",
    hashtag: "hashtag",
    and: "and",
    moneyAnd: "and",
    about: "about",
  },
  symbols: {
    "&": "and",
    "@": "at",
    "+": "plus",
    "=": "equals",
    "%": "percent",
    "×": "times",
    "*": "times",
    "÷": "divided by",
    "±": "plus or minus",
    "<": "less than",
    ">": "greater than",
    "≤": "at most",
    "≥": "at least",
    "≈": "about",
    "≠": "is not",
    "§": "section",
    "°": "degrees",
    "−": "minus",
    "²": "squared",
    "³": "cubed",
    "^": "to the power of",
  },
  units: unitsOf({
    "%": ["percent", "percent"],
    "‰": ["per thousand", "per thousand"],
    "°C": ["degree Celsius", "degrees Celsius"],
    "°F": ["degree Fahrenheit", "degrees Fahrenheit"],
    "°": ["degree", "degrees"],
    km: ["kilometer", "kilometers"],
    m: ["meter", "meters"],
    cm: ["centimeter", "centimeters"],
    mm: ["millimeter", "millimeters"],
    "m²": ["square meter", "square meters"],
    "km²": ["square kilometer", "square kilometers"],
    "m³": ["cubic meter", "cubic meters"],
    "km/h": ["kilometer per hour", "kilometers per hour"],
    kmh: ["kilometer per hour", "kilometers per hour"],
    kph: ["kilometer per hour", "kilometers per hour"],
    "m/s": ["meter per second", "meters per second"],
    mph: ["mile per hour", "miles per hour"],
    mi: ["mile", "miles"],
    ft: ["foot", "feet"],
    "sq ft": ["square foot", "square feet"],
    yd: ["yard", "yards"],
    "in.": ["inch", "inches"],
    kg: ["kilogram", "kilograms"],
    g: ["gram", "grams"],
    mg: ["milligram", "milligrams"],
    lb: ["pound", "pounds"],
    lbs: ["pound", "pounds"],
    oz: ["ounce", "ounces"],
    l: ["liter", "liters"],
    ml: ["milliliter", "milliliters"],
    mL: ["milliliter", "milliliters"],
    h: ["hour", "hours"],
    hr: ["hour", "hours"],
    hrs: ["hour", "hours"],
    min: ["minute", "minutes"],
    mins: ["minute", "minutes"],
    s: ["second", "seconds"],
    sec: ["second", "seconds"],
    ms: ["millisecond", "milliseconds"],
    KB: ["kilobyte", "kilobytes"],
    MB: ["megabyte", "megabytes"],
    GB: ["gigabyte", "gigabytes"],
    TB: ["terabyte", "terabytes"],
    "Mbit/s": ["megabit per second", "megabits per second"],
    Mbps: ["megabit per second", "megabits per second"],
    Gbps: ["gigabit per second", "gigabits per second"],
    Hz: ["hertz", "hertz"],
    kHz: ["kilohertz", "kilohertz"],
    MHz: ["megahertz", "megahertz"],
    GHz: ["gigahertz", "gigahertz"],
    W: ["watt", "watts"],
    kW: ["kilowatt", "kilowatts"],
    kWh: ["kilowatt hour", "kilowatt hours"],
    V: ["volt", "volts"],
    mAh: ["milliamp hour", "milliamp hours"],
    dB: ["decibel", "decibels"],
    kcal: ["kilocalorie", "kilocalories"],
    fps: ["frame per second", "frames per second"],
    px: ["pixel", "pixels"],
    ha: ["hectare", "hectares"],
    tbsp: ["tablespoon", "tablespoons"],
    tsp: ["teaspoon", "teaspoons"],
  }),
  currencies: {
    $: { unit: ["dollar", "dollars"], part: CENT },
    USD: { unit: ["U S dollar", "U S dollars"], part: CENT },
    US$: { unit: ["U S dollar", "U S dollars"], part: CENT },
    C$: { unit: ["Canadian dollar", "Canadian dollars"], part: CENT },
    A$: { unit: ["Australian dollar", "Australian dollars"], part: CENT },
    "¢": { unit: ["cent", "cents"] },
    "€": { unit: ["euro", "euros"], part: CENT },
    EUR: { unit: ["euro", "euros"], part: CENT },
    "£": { unit: ["pound", "pounds"], part: ["penny", "pence"] },
    GBP: { unit: ["pound", "pounds"], part: ["penny", "pence"] },
    "¥": { unit: ["yen", "yen"] },
    JPY: { unit: ["yen", "yen"] },
    "₹": { unit: ["rupee", "rupees"], part: ["paisa", "paise"] },
    INR: { unit: ["rupee", "rupees"], part: ["paisa", "paise"] },
    CHF: { unit: ["Swiss franc", "Swiss francs"], part: ["rappen", "rappen"] },
    R$: { unit: ["real", "reais"], part: ["centavo", "centavos"] },
    "₿": { unit: ["bitcoin", "bitcoins"] },
  },
  magnitudes: {
    thousand: ["thousand", "thousand"],
    million: ["million", "million"],
    billion: ["billion", "billion"],
    trillion: ["trillion", "trillion"],
    k: ["thousand", "thousand"],
    K: ["thousand", "thousand"],
    m: ["million", "million"],
    M: ["million", "million"],
    mn: ["million", "million"],
    bn: ["billion", "billion"],
    b: ["billion", "billion"],
    B: ["billion", "billion"],
    T: ["trillion", "trillion"],
  },
  ofMillion: (noun) => noun,
  abbreviations: ENGLISH_ABBREVIATIONS,
  sayings: ENGLISH_SAYINGS,
  starters: ENGLISH_STARTERS,
  letterNames: { A: "eigh" },
  fractions: {
    "1/2": "one half",
    "1/3": "one third",
    "2/3": "two thirds",
    "1/4": "one quarter",
    "3/4": "three quarters",
    "1/5": "one fifth",
    "1/8": "one eighth",
    "3/8": "three eighths",
    "5/8": "five eighths",
    "7/8": "seven eighths",
    "1/10": "one tenth",
  },
  ordinalMarks: { st: "m", nd: "m", rd: "m", th: "m" },
  roman: (value, before) => (ROMAN_COUNTS.has(before) ? cardinal(value) : `the ${toOrdinal(value)}`),
  isYear: (value, before) => (value >= 1900 && value < 2100) || (value >= 1066 && BEFORE_YEAR.has(before)),
  decade(value) {
    const tens = value % 100;
    const plural = tens === 0 ? "hundreds" : cardinal(tens).replace(/y$/, "ies").replace(/n$/, "ns");
    if (value < 100) return plural;
    return value % 1000 === 0 ? "two thousands" : `${cardinal(Math.floor(value / 100))} ${plural}`;
  },
};

/** In pairs: nineteen eighty-four, twenty twenty-four; but two thousand five. */
function sayYear(value: number): string {
  const [century, rest] = [Math.floor(value / 100), value % 100];
  if (value < 1000 || value >= 10_000 || century % 10 === 0) {
    return value % 1000 < 10 || value < 1000 ? cardinal(value) : `${cardinal(century)} ${cardinal(rest)}`;
  }
  if (rest === 0) return `${cardinal(century)} hundred`;
  return `${cardinal(century)} ${rest < 10 ? `oh ${cardinal(rest)}` : cardinal(rest)}`;
}

export const EN: Language = {
  englishNames: ["english"],
  greeting: (name) => (name ? `Hello, I'm ${name}. What can I do for you?` : "Hello. What can I do for you?"),
  fixedSentences: {
    failed: "Sorry, I can't answer right now. Please ask me again.",
    "no-llm": "I can hear you, but I have no language model to answer with.",
    "not-understood": "Sorry, I didn't catch that. Could you say it again?",
  },
  backchannels:
    "yeah|yep|yes|ok|okay|right|sure|i see|got it|alright|all right|exactly|true|cool|wow|really|" + "great|nice|good",
  cues: [
    ["laugh_react", "haha|hahaha|ha ha|hehe|lol|thats funny|that is funny|how funny|very funny"],
    ["mini_wave_hello", "hello|hi|hey|welcome|good morning|good afternoon|good evening|goodbye|bye|see you"],
    ["celebration_jump", "congratulations|congrats|hooray|hurray|we did it|you did it"],
    ["surprise", "wow|oh really|no way|really|incredible|oh my"],
    ["shake", "no|nope|unfortunately|im afraid|i am afraid|im sorry|i am sorry|sadly"],
    ["thinking", "hmm|hm|let me think|let me see|i wonder|good question|thats a good question"],
    ["nod", "yes|yeah|yep|of course|sure|exactly|absolutely|right|i agree|certainly|definitely|indeed"],
    ["thumbs_up_pulse", "great|perfect|excellent|well done|good job|awesome|fantastic|wonderful"],
    ["heart_hands", "thank you|thanks|i love|youre welcome|you are welcome|my pleasure"],
  ],
  frequentWords: wordSet(
    "the and you are is of to with who that your for in a an this was not from have they which will",
  ),
  textSearch: "english",
  synthesizerName: "en-us",
  neural: {
    // By measured pitch and by the grade of the network's author, models/voice/README.md.
    styles: {
      M1: "am_michael",
      M2: "am_puck",
      M3: "am_fenrir",
      M4: "bm_george",
      M5: "bm_fable",
      F1: "af_heart",
      F2: "af_bella",
      F3: "bf_emma",
      F4: "af_kore",
      F5: "af_aoede",
    },
    phonemeLanguage: null,
  },
  speech: ENGLISH,
};
