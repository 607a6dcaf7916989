// The mark in a film that says, for programs, that it is generated: an XMP packet in a box of its own, where readers of
// MP4 metadata look for it. Source: XMP specification, part 3, "MPEG-4".

/** Type of the box. Source: the same. */
const XMP_BOX_ID = [0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac];
/** Length and type of a box, and the id of its kind. */
const BOX_HEADER_BYTES = 24;
/** A portrait with synthetic movements, and mostly a synthetic voice. Source: IPTC, digital source types. */
const DIGITAL_SOURCE_TYPE = "http://cv.iptc.org/newscodes/digitalsourcetype/compositeSynthetic";
/** The same in words, for files that carry no XMP packet. */
export const GENERATED_DESCRIPTION = "Synthetic video: the avatar's movements are generated.";

/** The packet, for files of other kinds than MP4. */
export const GENERATED_XMP = `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
 xmlns:dc="http://purl.org/dc/elements/1.1/">
<Iptc4xmpExt:DigitalSourceType>${DIGITAL_SOURCE_TYPE}</Iptc4xmpExt:DigitalSourceType>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">${GENERATED_DESCRIPTION}</rdf:li></rdf:Alt></dc:description>
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>`;

/** The box, to be added to the end of an MP4 file: players skip boxes that they do not know. */
export function generatedMark(): Uint8Array<ArrayBuffer> {
  const packet = new TextEncoder().encode(GENERATED_XMP);
  const box = new Uint8Array(BOX_HEADER_BYTES + packet.length);
  new DataView(box.buffer).setUint32(0, box.length);
  box.set(new TextEncoder().encode("uuid"), 4);
  box.set(XMP_BOX_ID, 8);
  box.set(packet, BOX_HEADER_BYTES);
  return box;
}
