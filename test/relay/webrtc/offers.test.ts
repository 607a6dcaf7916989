// SDP offers as the relay takes them, and its own address in answers.
import t from "tap";
import { cleanOffer } from "../../../relay/webrtc/clean-offer.ts";
import { withOwnAddress } from "../../../relay/webrtc/with-own-address.ts";

const OFFER = [
  "v=0",
  "o=- 1 2 IN IP4 127.0.0.1",
  "s=-",
  "t=0 0",
  "a=group:BUNDLE 0 1",
  "m=audio 9 UDP/TLS/RTP/SAVPF 111",
  "c=IN IP4 0.0.0.0",
  "a=candidate:1 1 udp 2122260223 10.0.0.7 50000 typ host",
  "a=ice-ufrag:abcd",
  "a=ice-pwd:0123456789012345678901",
  "a=fingerprint:sha-256 00:11",
  "a=end-of-candidates",
  "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
  "",
].join("\r\n");

t.test("an offer keeps everything but the caller's addresses", async (t) => {
  const cleaned = cleanOffer(OFFER);
  t.notMatch(cleaned, /candidate/);
  t.equal(cleaned.split("\r\n").length, OFFER.split("\r\n").length - 2);
  t.equal(cleanOffer(OFFER.replaceAll("\r\n", "\n")), cleaned, "line ends of either kind");
});

t.test("what is no usable offer is refused in words", async (t) => {
  for (const [text, why] of [
    ["", /not an SDP offer/],
    ["{}", /not an SDP offer/],
    ["v=0\r\ns=-\r\n", /no audio/],
    [OFFER.replace("m=audio", "m=video"), /no audio/],
    [`${OFFER}m=audio 9 UDP/TLS/RTP/SAVPF 111\r\n`, /one audio section/],
    [OFFER + "m=video 9 UDP/TLS/RTP/SAVPF 96\r\n".repeat(3), /one audio section/],
    [OFFER.replace("a=ice-ufrag:abcd\r\n", ""), /ICE/],
    [OFFER.replace(/a=fingerprint.*\r\n/, ""), /DTLS/],
  ] as const) {
    t.throws(() => cleanOffer(text), { code: "VALIDATION_ERROR", message: why });
  }
});

t.test("an address of the operator's takes the place of the machine's own", async (t) => {
  const sdp = [
    "a=candidate:1 1 udp 2122 fd00::2 50000 typ host generation 0",
    "a=candidate:2 1 udp 2122 10.0.0.2 50000 typ host generation 0",
    "a=candidate:3 1 udp 2122 127.0.0.1 50000 typ host generation 0",
    "a=candidate:4 1 tcp 1518 10.0.0.2 50000 typ host tcptype passive",
    "a=sendrecv",
  ].join("\r\n");
  t.equal(withOwnAddress(sdp, undefined), sdp);
  t.same(withOwnAddress(sdp, "203.0.113.9").split("\r\n"), [
    "a=candidate:2 1 udp 2122 203.0.113.9 50000 typ host generation 0",
    "a=candidate:4 1 tcp 1518 203.0.113.9 50000 typ host tcptype passive",
    "a=sendrecv",
  ]);
});
