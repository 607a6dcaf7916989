// Voices that an operator can fetch: where their files are, and under which terms.
//
// Only voices with cards that say that they were trained from scratch, on recordings that allow any use. Many other
// voices of this family descend from one that was trained on recordings for research only.

/** A file of a voice. */
export interface VoiceFile {
  /** Its name in the folder of the voice. */
  name: "model.onnx" | "config.json";
  bytes: number;
  /** Hex. */
  sha256: string;
  /** Where it can be fetched, tried in order. */
  sources: readonly string[];
}

export interface FetchableVoice {
  /** Language, region, name and quality, as its makers call it. */
  id: string;
  /** ISO 639-1. */
  language: string;
  description: string;
  /** Terms of the voice, and of the recordings that it was trained on. */
  licence: string;
  /** The card of the voice. */
  card: string;
  /** Number of people who speak in it. */
  speakers: number;
  files: readonly VoiceFile[];
}

const REVISION = "c10ece1aade47bb51c153c893d14e5bf8e5b7117";
/** The makers' repository, at one commit, and a copy of it. */
const REPOSITORIES = [
  `https://huggingface.co/rhasspy/piper-voices/resolve/${REVISION}/`,
  "https://huggingface.co/diffusionstudio/piper-voices/resolve/main/",
];
const CARDS = `https://huggingface.co/rhasspy/piper-voices/blob/${REVISION}/`;
const PUBLIC_DOMAIN = "MIT; recordings in the public domain";
const CC_BY = "MIT; recordings CC BY 4.0 (Multilingual LibriSpeech)";

/** All voices of the catalogue. */
export const FETCHABLE_VOICES: readonly FetchableVoice[] = Object.freeze([
  voice("de_DE-mls-medium", "236 readers of audiobooks", CC_BY, 236, {
    model: [76_961_079, "69cd1d2aa5a35839a518966fcc4924b5f93e5f8c948ed0752b1a616ad53f65bf"],
    config: [8_948, "b0af1c89ddfdc72d32e015729b0e89b99eec13c2c8caa1db7488d98e9e570b40"],
  }),
  voice("en_US-ljspeech-medium", "a woman, American", PUBLIC_DOMAIN, 1, {
    model: [63_531_379, "6f52a751e2349abe7a76735eb09dc1875298c77ea2342ffd2fef79ff81b87f22"],
    config: [4_972, "141d612cc0a95ed7efc1ca936b845c2364967f2e9217c5dbfcf69fc4d6c65860"],
  }),
  voice("es_ES-carlfm-x_low", "a man, European; small, 16 kHz", PUBLIC_DOMAIN, 1, {
    model: [28_130_791, "d69677323a907cd4963f42b29c20a98b5d6bfa7f3e64df339915e4650c00d125"],
    config: [4_159, "d9bdfa9ff01eb2bc9e62e7d2593939d1e4c4d8eb7cf75f972731539d12399966"],
  }),
  voice("fr_FR-mls-medium", "125 readers of audiobooks", CC_BY, 125, {
    model: [76_733_750, "0ed223f78466917f2bae05ee90096ce69ab1fdeb251f55590d0e7422d234e162"],
    config: [7_036, "252b0b0a6e4cc4949e23eccb956f9c779986c32f934f2f7e2191e5fdc2edca61"],
  }),
  voice(
    "it_IT-riccardo-x_low",
    "a man; small, 16 kHz",
    "MIT; recordings: any use, named source, no endorsement (M-AILABS)",
    1,
    {
      model: [28_130_791, "1368de15f123275a7ef951c9e5e30be0f58a032daa14a0da44037443c1d1d21b"],
      config: [4_161, "146ab9c634afe524e9fb7530f2510df7a42fb1db56b52658ca1fb3d98001a62a"],
    },
  ),
]);

/** Size of all files of a voice. */
export function bytesOf({ files }: FetchableVoice): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

type Pin = readonly [bytes: number, sha256: string];

function voice(
  id: string,
  description: string,
  licence: string,
  speakers: number,
  { model, config }: { model: Pin; config: Pin },
): FetchableVoice {
  const [region, name, quality] = id.split("-");
  const language = region.slice(0, 2);
  const folder = `${language}/${region}/${name}/${quality}/`;
  const file = (fileName: VoiceFile["name"], ending: string, [bytes, sha256]: Pin): VoiceFile => ({
    name: fileName,
    bytes,
    sha256,
    sources: REPOSITORIES.map((repository) => `${repository}${folder}${id}${ending}`),
  });
  return {
    id,
    language,
    description,
    licence,
    card: `${CARDS}${folder}MODEL_CARD`,
    speakers,
    files: [file("model.onnx", ".onnx", model), file("config.json", ".onnx.json", config)],
  };
}
