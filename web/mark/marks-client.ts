// The two requests of the page. The link's token is sent in a header only.
import { FACE_MARK_NAMES, type FaceMarks } from "../../src/face/portrait/face-marks.ts";
import { atOwnOrigin } from "../shared/at-own-origin.ts";
import { type RequestOptions, sendRequest } from "../shared/send-request.ts";

/** `marking`: the face waits for marks. `making`: it is made from them. */
export type FaceState = "marking" | "making" | "ready" | "failed";

/** A portrait, where its marks are now, and what has become of it. */
export interface FaceMarking {
  imageUrl: string;
  widthPx: number;
  heightPx: number;
  /** Null if detection was sure and no marks were placed. */
  marks: FaceMarks | null;
  state: FaceState;
  /** Of making the face, 0..1. */
  progress: number;
  /** Why there is no face; empty unless `failed`. */
  problem: string;
}

/** Both methods throw RequestError. */
export class MarksClient {
  readonly #url: URL;
  readonly #token: string;

  /** `url`: that of the marks of a link; `token`: its fragment. */
  constructor(url: URL, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** Fetches the portrait of the link. */
  async load(): Promise<FaceMarking> {
    const body = await this.#send();
    const { status, progress, error_message: problem } = body;
    const isEnded = status === "ready" || status === "failed";
    return {
      imageUrl: atOwnOrigin(String(body.image_url)),
      widthPx: Number(body.width_px),
      heightPx: Number(body.height_px),
      marks: hasMarks(body.marks) ? body.marks : null,
      state: body.is_waiting === true ? "marking" : isEnded ? status : "making",
      progress: Math.min(1, Math.max(0, Number(progress) || 0)),
      problem: typeof problem === "string" ? problem : "",
    };
  }

  async save(marks: FaceMarks): Promise<void> {
    await this.#send({ method: "PUT", body: { marks } });
  }

  #send(options: RequestOptions = {}): Promise<Record<string, unknown>> {
    return sendRequest(this.#url, { ...options, headers: { authorization: `Bearer ${this.#token}` } });
  }
}

function hasMarks(value: unknown): value is FaceMarks {
  return typeof value === "object" && value !== null && FACE_MARK_NAMES.every((name) => name in value);
}
