// Gets a picture ready to be sent: pictures that the service would refuse for size or type are converted here.
import type { CreateTexts } from "./texts/load-create-texts.ts";

/** Limits of the service: bytes of a file, and pixels. */
const SENT_BYTES = 10_000_000;
const SENT_PIXELS = 40_000_000;
/** Larger pictures are refused before a pixel is decoded. */
const MAX_BYTES = 200_000_000;
const MAX_PIXELS = 300_000_000;
/** The service keeps pictures at this size at most, so that scaling to it loses nothing. */
const SCALED_SIDE_PX = 2048;
const SCALED_QUALITY = 0.93;
/** Types that the service takes. */
const SENT_TYPES = ["image/jpeg", "image/png", "image/webp", "image/gif", "image/bmp"];

/** A picture that can be sent. */
export interface Picture {
  blob: Blob;
  /** Address for showing it in this tab. Revoke it when it is no longer shown. */
  url: string;
}

type PictureTexts = CreateTexts["picture"];

/** A file that is no usable picture. The message is for the visitor. */
class PictureError extends Error {}

/** Checks a file and scales it down if it is too large. Throws PictureError. */
export async function preparePicture(file: File, texts: PictureTexts): Promise<Picture> {
  if (file.size > MAX_BYTES) throw new PictureError(texts.tooManyBytes(millions(file.size), millions(MAX_BYTES)));
  const url = URL.createObjectURL(file);
  let isSentAsIs = false;
  try {
    const image = await openImage(url, file, texts);
    const pixels = image.naturalWidth * image.naturalHeight;
    if (pixels > MAX_PIXELS) throw new PictureError(texts.tooLarge(millions(pixels), millions(MAX_PIXELS)));
    isSentAsIs = file.size <= SENT_BYTES && pixels <= SENT_PIXELS && SENT_TYPES.includes(file.type);
    if (isSentAsIs) {
      await image.decode().catch(() => {
        throw new PictureError(whyNot(file, texts));
      });
      return { blob: file, url };
    }
    const blob = await scaleDown(image, texts);
    return { blob, url: URL.createObjectURL(blob) };
  } finally {
    if (!isSentAsIs) URL.revokeObjectURL(url);
  }
}

/** A picture as a data URI. */
export function toDataUri(blob: Blob, texts: PictureTexts): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new PictureError(texts.unread));
    reader.readAsDataURL(blob);
  });
}

/** The size at which a picture is sent that is too large, sides in proportion. */
export function scaledSize(widthPx: number, heightPx: number): { widthPx: number; heightPx: number } {
  const scale = Math.min(1, SCALED_SIDE_PX / Math.max(widthPx, heightPx));
  return { widthPx: Math.max(1, Math.round(widthPx * scale)), heightPx: Math.max(1, Math.round(heightPx * scale)) };
}

/** Why a browser could not decode a file. */
export function whyNot({ name, type }: Pick<File, "name" | "type">, texts: PictureTexts): string {
  if (/\.hei[cf]$/i.test(name) || /^image\/hei[cf]/.test(type)) return texts.heic;
  if (type === "image/svg+xml" || /\.svg$/i.test(name)) return texts.svg;
  if (type !== "" && !type.startsWith("image/")) return texts.notAPicture;
  return texts.damaged;
}

/** Reads a picture's size. Its pixels are decoded later, when it is drawn, and no larger than that needs. */
async function openImage(url: string, file: File, texts: PictureTexts): Promise<HTMLImageElement> {
  const image = new Image();
  const isOpened = await new Promise<boolean>((resolve) => {
    image.onload = () => resolve(true);
    image.onerror = () => resolve(false);
    image.src = url;
  });
  const isVector = file.type === "image/svg+xml" || /\.svg$/i.test(file.name);
  if (isOpened && !isVector && image.naturalWidth > 0) return image;
  throw new PictureError(whyNot(file, texts));
}

/** Upright as the camera held it, which the service does too. */
async function scaleDown(image: HTMLImageElement, texts: PictureTexts): Promise<Blob> {
  const { widthPx, heightPx } = scaledSize(image.naturalWidth, image.naturalHeight);
  const canvas = document.createElement("canvas");
  canvas.width = widthPx;
  canvas.height = heightPx;
  const context = canvas.getContext("2d");
  if (!context) throw new PictureError(texts.unscaled);
  context.imageSmoothingQuality = "high";
  // What the service lays under transparent parts.
  context.fillStyle = "#808080";
  context.fillRect(0, 0, widthPx, heightPx);
  context.drawImage(image, 0, 0, widthPx, heightPx);
  return toJpeg(canvas, texts);
}

/** A canvas as a JPEG file. Throws PictureError if the browser cannot make one. */
export function toJpeg(canvas: HTMLCanvasElement, texts: PictureTexts): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const onBlob = (blob: Blob | null) => (blob ? resolve(blob) : reject(new PictureError(texts.unsaved)));
    canvas.toBlob(onBlob, "image/jpeg", SCALED_QUALITY);
  });
}

function millions(count: number): string {
  return String(Math.ceil(count / 1e6));
}
