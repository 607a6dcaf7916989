// The kinds of files that callers may upload. Source: the contract.

/** Category of an uploaded file, also on the wire. */
export const ASSET_CATEGORIES = ["images", "video", "audio", "docs"] as const;
export type AssetCategory = (typeof ASSET_CATEGORIES)[number];

/** Values of `file_type`. `pdf` and `document` are the older and the newer name for documents. */
export const FILE_TYPES = ["auto", "image", "audio", "video", "pdf", "document"] as const;
export type FileType = (typeof FILE_TYPES)[number];

export interface FileKind {
  category: AssetCategory;
  mimeType: string;
  /** Extensions of this kind, the usual one first. */
  extensions: readonly string[];
}

/** Largest file of each category, in bytes. Where the contract states two values, this is the larger one. */
export const CATEGORY_LIMITS_BYTES: Readonly<Record<AssetCategory, number>> = {
  images: 10_000_000,
  video: 100_000_000,
  audio: 50_000_000,
  docs: 25_000_000,
};

const OFFICE_OPEN_XML = "application/vnd.openxmlformats-officedocument";

export const FILE_KINDS = {
  jpg: { category: "images", mimeType: "image/jpeg", extensions: ["jpg", "jpeg"] },
  png: { category: "images", mimeType: "image/png", extensions: ["png"] },
  gif: { category: "images", mimeType: "image/gif", extensions: ["gif"] },
  webp: { category: "images", mimeType: "image/webp", extensions: ["webp"] },
  bmp: { category: "images", mimeType: "image/bmp", extensions: ["bmp"] },
  mp4: { category: "video", mimeType: "video/mp4", extensions: ["mp4"] },
  avi: { category: "video", mimeType: "video/x-msvideo", extensions: ["avi"] },
  mov: { category: "video", mimeType: "video/quicktime", extensions: ["mov"] },
  wmv: { category: "video", mimeType: "video/x-ms-wmv", extensions: ["wmv"] },
  flv: { category: "video", mimeType: "video/x-flv", extensions: ["flv"] },
  webm: { category: "video", mimeType: "video/webm", extensions: ["webm"] },
  mkv: { category: "video", mimeType: "video/x-matroska", extensions: ["mkv"] },
  mp3: { category: "audio", mimeType: "audio/mpeg", extensions: ["mp3"] },
  wav: { category: "audio", mimeType: "audio/wav", extensions: ["wav"] },
  flac: { category: "audio", mimeType: "audio/flac", extensions: ["flac"] },
  aac: { category: "audio", mimeType: "audio/aac", extensions: ["aac"] },
  ogg: { category: "audio", mimeType: "audio/ogg", extensions: ["ogg"] },
  m4a: { category: "audio", mimeType: "audio/mp4", extensions: ["m4a"] },
  pdf: { category: "docs", mimeType: "application/pdf", extensions: ["pdf"] },
  doc: { category: "docs", mimeType: "application/msword", extensions: ["doc"] },
  docx: { category: "docs", mimeType: `${OFFICE_OPEN_XML}.wordprocessingml.document`, extensions: ["docx"] },
  ppt: { category: "docs", mimeType: "application/vnd.ms-powerpoint", extensions: ["ppt"] },
  pptx: { category: "docs", mimeType: `${OFFICE_OPEN_XML}.presentationml.presentation`, extensions: ["pptx"] },
  xls: { category: "docs", mimeType: "application/vnd.ms-excel", extensions: ["xls"] },
  xlsx: { category: "docs", mimeType: `${OFFICE_OPEN_XML}.spreadsheetml.sheet`, extensions: ["xlsx"] },
  txt: { category: "docs", mimeType: "text/plain", extensions: ["txt"] },
  csv: { category: "docs", mimeType: "text/csv", extensions: ["csv"] },
} as const satisfies Readonly<Record<string, FileKind>>;

export type FileKindName = keyof typeof FILE_KINDS;

/** The extension of a file name or path, in lower case without its dot; empty if there is none. */
export function extensionOf(fileName: string): string {
  const match = /[^./\\]\.([A-Za-z0-9]{1,10})\s*$/.exec(fileName);
  return match ? match[1].toLowerCase() : "";
}

/** The kind of an extension, or null for an unknown one. */
export function kindOfExtension(extension: string): FileKindName | null {
  const found = Object.entries<FileKind>(FILE_KINDS).find(([, kind]) => kind.extensions.includes(extension));
  return found ? (found[0] as FileKindName) : null;
}
