// The two requests of the page. The link's token is sent in a header only.
import { FACE_MARK_NAMES, type FaceMarkName, type FaceMarks } from "../../src/face/portrait/face-marks.ts";
import { atOwnOrigin } from "../shared/at-own-origin.ts";

/** A portrait and where the marks of its face are now. */
export interface FaceMarking {
  imageUrl: string;
  widthPx: number;
  heightPx: number;
  isWaiting: boolean;
  /** Null if detection was sure and no marks were placed. */
  marks: FaceMarks | null;
  /** What each mark is to be placed on. */
  where: Readonly<Record<FaceMarkName, string>>;
}

/** Fetches the portrait of a link. Throws Error with a message for the user. */
export async function loadMarking(url: URL, token: string): Promise<FaceMarking> {
  const body = await exchange(url, token, { method: "GET" });
  return {
    imageUrl: atOwnOrigin(String(body.image_url)),
    widthPx: Number(body.width_px),
    heightPx: Number(body.height_px),
    isWaiting: body.is_waiting === true,
    marks: hasMarks(body.marks) ? body.marks : null,
    where: body.where as Record<FaceMarkName, string>,
  };
}

/** Sends the marks. Throws Error with a message for the user. */
export async function saveMarks(url: URL, token: string, marks: FaceMarks): Promise<void> {
  await exchange(url, token, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ marks }),
  });
}

async function exchange(url: URL, token: string, init: RequestInit): Promise<Record<string, unknown>> {
  const headers = { ...init.headers, authorization: `Bearer ${token}` };
  const response = await fetch(url, { ...init, headers, credentials: "omit" }).catch(() => {
    throw new Error("The service is not reachable. Try again in a moment.");
  });
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (response.ok) return body;
  const { message } = (body.error ?? {}) as { message?: string };
  throw new Error(message ?? `The service answered ${response.status}.`);
}

function hasMarks(value: unknown): value is FaceMarks {
  return typeof value === "object" && value !== null && FACE_MARK_NAMES.every((name) => name in value);
}
