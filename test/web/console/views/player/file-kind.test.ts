import t from "tap";
import { fileKind } from "../../../../../web/console/views/player/file-kind.ts";

const head = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

t.test("a file is what its first bytes say, whatever its name", async (t) => {
  const cases: [string, string, ReturnType<typeof fileKind>][] = [
    ["IMX\0\x04\0", "", "face"],
    ["RIFF\x24\0\0\0WAVEfmt ", "", "recording"],
    ["RIFF\x24\0\0\0WEBPVP8 ", "image/webp", undefined],
    ["ID3\x04", "audio/mpeg", "recording"],
    ["\xff\xfb\x90\x64", "", "recording"],
    ["OggS\0", "audio/ogg", "recording"],
    ["OggS\0", "video/ogg", "film"],
    ["fLaC", "", "recording"],
    ["\x1a\x45\xdf\xa3", "video/webm", "film"],
    ["\x1a\x45\xdf\xa3", "audio/webm", "recording"],
    ["\0\0\0\x18ftypisom", "video/mp4", "film"],
    ["\0\0\0\x18ftypM4A ", "", "recording"],
    ["\xff\xd8\xff\xe0", "video/mp4", undefined],
    ["PK\x03\x04", "", undefined],
    ["", "", undefined],
  ];
  for (const [bytes, type, kind] of cases) t.equal(fileKind(head(bytes), type), kind, JSON.stringify(bytes));
});
