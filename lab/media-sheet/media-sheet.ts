// Makes what the media sheet shows: a sentence of each voice, a film of each face, a clip of each gesture.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Gallery, type GalleryEntry, openGallery } from "../../api/agents/portraits/gallery.ts";
import { FACE_PARAMETER_COUNT } from "../../shared/face-parameters.ts";
import { GESTURE_NAMES, GESTURES } from "../../shared/gesture-names.ts";
import { FRAME_RATE_FPS } from "../../shared/units.ts";
import { createEngine, type EngineOptions } from "../../src/face/engine/create-engine.ts";
import { type FilmSpeech, speakText } from "../../src/face/film/film-speech.ts";
import { writeFilm, writeGestureFilm } from "../../src/face/film/write-film.ts";
import { loadLipSyncModel } from "../../src/face/lip-sync/lip-sync-model.ts";
import { openAvatar } from "../../src/face/rendering/open-avatar.ts";
import { bakeImx } from "../../src/face/rig/bake-imx.ts";
import { loadBakeTools } from "../../src/face/rig/node-bake-tools.ts";
import { writeWav } from "../../src/signal/audio/wav.ts";
import { decodeImage } from "../../src/signal/image/decode-image.ts";
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";
import type { Voice } from "../../src/speech/voice/voice.ts";
import { VOICE_IDS, VOICES, type VoiceId } from "../../src/speech/voice/voice-catalogue.ts";

/** A file to look at or listen to. */
export interface SheetItem {
  section: "voices" | "faces" | "gestures";
  name: string;
  /** What a viewer should see or hear. */
  about: string;
  /** Inside the folder of the sheet. */
  file: string;
  /** Length of the audio or film. */
  seconds: number;
}

export interface SheetOptions {
  /** Folder for the files. */
  folder: string;
  voice: Voice;
  ffmpegPath?: string;
  /** A few seconds of a few things, to try the sheet itself. */
  isQuick: boolean;
  signal: AbortSignal;
  /** Gets each item as soon as its file is there. */
  onItem(item: SheetItem): void;
}

const FILM_SECONDS = 20;
/** Of a quick sheet. */
const QUICK = { seconds: 3, voices: 2, faces: 2, gestures: 3 };
/** Longer than a film, also for the fastest voice. */
const SPEECH =
  "Good morning! I was drawn from a single picture, and everything that you hear moves my lips. " +
  "Please, papa, believe me: both my lips meet for every B, every M and every P. " +
  "When I think, I look away for a moment; when I am sure, I look at you. " +
  "Whales sing over hundreds of miles, and we do not know quite what about. " +
  "Perhaps it is the weather, perhaps it is the way home. Ask me another question, and we shall see.";

/** What all films share. */
interface Studio extends Pick<EngineOptions, "runtime" | "lipSyncModel"> {
  gallery: Gallery;
}

/** Makes all files. Throws the errors of the voice and the media program, and the signal's reason. */
export async function makeMediaSheet(options: SheetOptions): Promise<SheetItem[]> {
  const { folder, isQuick, signal } = options;
  await mkdir(folder, { recursive: true });
  const items: SheetItem[] = [];
  const add = (item: SheetItem) => {
    items.push(item);
    options.onItem(item);
    signal.throwIfAborted();
  };
  for (const id of VOICE_IDS.slice(0, isQuick ? QUICK.voices : undefined)) add(await speakName(options, id));
  const gallery = await openGallery();
  const studio = { gallery, runtime: createNodeRuntime(), lipSyncModel: await loadLipSyncModel() };
  for (const [index, entry] of gallery.entries.slice(0, isQuick ? QUICK.faces : undefined).entries()) {
    await filmFace(options, studio, entry, index === 0, add);
  }
  return items;
}

async function speakName({ folder, voice }: SheetOptions, voiceId: VoiceId): Promise<SheetItem> {
  const { name } = VOICES[voiceId];
  const text = `Hello, my name is ${name}.`;
  const { audio } = await speakText(voice, text, { voiceId });
  const file = `voice-${voiceId}.wav`;
  await writeFile(join(folder, file), writeWav(audio));
  const seconds = audio.samples.length / audio.sampleRateHz;
  return { section: "voices", name: `${name} (${voiceId})`, about: text, file, seconds };
}

/** A film of the face; the first face makes the gestures, too. */
async function filmFace(
  { folder, voice, ffmpegPath, isQuick, signal }: SheetOptions,
  { gallery, runtime, lipSyncModel }: Studio,
  { id, name, style, kind, voice: voiceId }: GalleryEntry,
  isFirst: boolean,
  add: (item: SheetItem) => void,
): Promise<void> {
  const { bytes, points } = await gallery.load(id);
  const { imx } = await bakeImx(await decodeImage(bytes), { points, style }, await loadBakeTools(runtime));
  const avatar = await openAvatar(imx, runtime);
  const createFilm = async (write: (engine: Awaited<ReturnType<typeof createEngine>>) => Promise<number>) => {
    const engine = await createEngine({ avatar, runtime, lipSyncModel });
    try {
      return (await write(engine)) / FRAME_RATE_FPS;
    } finally {
      await engine.close();
    }
  };
  try {
    const limit = isQuick ? QUICK.seconds : FILM_SECONDS;
    const speech = cutTo(await speakText(voice, SPEECH, { voiceId }, { maxSeconds: limit }), limit);
    const file = `face-${id}.mp4`;
    const path = join(folder, file);
    const seconds = await createFilm((engine) => writeFilm({ engine, avatar, speech, path, ffmpegPath, signal }));
    add({ section: "faces", name, about: `${kind}, voice ${voiceId}`, file, seconds });
    for (const gesture of isFirst ? GESTURE_NAMES.slice(0, isQuick ? QUICK.gestures : undefined) : []) {
      const clip = `gesture-${gesture}.mp4`;
      const frames = (imx.gestures.get(gesture)?.length ?? 0) / FACE_PARAMETER_COUNT;
      const order = { avatar, gesture, frames, path: join(folder, clip), ffmpegPath, signal };
      const length = await createFilm((engine) => writeGestureFilm({ engine, ...order }));
      add({ section: "gestures", name: gesture, about: GESTURES[gesture].sight, file: clip, seconds: length });
    }
  } finally {
    await avatar.close();
  }
}

function cutTo({ audio, visemes }: FilmSpeech, seconds: number): FilmSpeech {
  const samples = audio.samples.subarray(0, seconds * audio.sampleRateHz);
  return { audio: { samples, sampleRateHz: audio.sampleRateHz }, visemes };
}
