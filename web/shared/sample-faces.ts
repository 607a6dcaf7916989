// The faces that the service offers to try the pages with.
import { aspectRatio } from "./aspect-ratio.ts";
import { atOwnOrigin } from "./at-own-origin.ts";
import { RequestError } from "./request-error.ts";
import { sendRequest } from "./send-request.ts";

export interface SampleFace {
  id: string;
  name: string;
  /** Of the line that it says. */
  voice: string;
  /** Width by height. */
  ratio: number;
  /** Address of the face at rest. */
  poster: string;
  /** Address of a small picture of the face, square. */
  thumbnail: string;
  /** Address of the picture from which it was made. */
  portrait: string;
  /** Address of its `.imx`. */
  bundle: string;
  /** Address of the line that it says, a recording. */
  speech: string;
}

/** The faces, in the order to show them; the first one opens the page. Throws RequestError. `base`: the address of the
 *  start page. */
export async function fetchSampleFaces(base: URL): Promise<SampleFace[]> {
  const { samples } = await sendRequest(new URL("samples", base));
  return (samples as Record<string, unknown>[]).map((sample) => ({
    id: String(sample.slug),
    name: String(sample.name),
    voice: String(sample.voice),
    ratio: aspectRatio(sample.aspect_ratio),
    poster: atOwnOrigin(String(sample.poster_url), base.href),
    thumbnail: atOwnOrigin(String(sample.thumbnail_url), base.href),
    portrait: atOwnOrigin(String(sample.portrait_url), base.href),
    bundle: atOwnOrigin(String(sample.imx_url), base.href),
    speech: atOwnOrigin(String(sample.speech_url), base.href),
  }));
}

/** The picture from which a face was made. Throws RequestError. */
export async function fetchPortrait({ portrait }: SampleFace): Promise<Blob> {
  const response = await fetch(portrait).catch(() => undefined);
  if (response?.ok) return response.blob();
  throw new RequestError("NETWORK", "The picture could not be loaded. Check the connection, then try again.");
}
