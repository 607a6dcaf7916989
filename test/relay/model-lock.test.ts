// A call keeps its model: which events of a client are kept back.
import t from "tap";
import { judgeEvent } from "../../relay/model-lock.ts";

const NAMES = { name: "gpt-realtime-mini", upstreamName: "gpt-realtime-mini" };
const judge = (event: string | Buffer, names = NAMES) => judgeEvent(Buffer.from(event as string), names);
const kindOf = (event: string | Buffer) => judge(event).kind;

t.test("a session.update that changes the model is kept back, in every spelling", async (t) => {
  const utf16 = Buffer.from('{"type":"session.update","session":{"model":"other"}}', "utf16le");
  const spellings: Record<string, string | Buffer> = {
    plain: '{"type":"session.update","session":{"model":"other"}}',
    whitespace: ' \n{ "type" :\t"session.update" , "session" : \r\n{ "model" : "other" } } ',
    "escaped type": '{"type":"\\u0073ession\\u002eupdate","session":{"model":"other"}}',
    "escaped letters in a slash escape": '{"type":"session.updat\\u0065","session":{"model":"a\\/b"}}',
    "escaped keys": '{"\\u0074ype":"session.update","se\\u0053sion":1,"sess\\u0069on":{"mo\\u0064el":"other"}}',
    "model first": '{"session":{"model":"other","tools":[{"type":"x"}]},"type":"session.update"}',
    "first of two models": '{"type":"session.update","session":{"model":"other","model":"gpt-realtime-mini"}}',
    "last of two models": '{"type":"session.update","session":{"model":"gpt-realtime-mini","model":"other"}}',
    "first of two types": '{"type":"session.update","type":"response.create","session":{"model":"other"}}',
    "last of two types": '{"type":"response.create","session":{"model":"other"},"type":"session.update"}',
    "first of two sessions": '{"type":"session.update","session":{"model":"other"},"session":{}}',
    "other case": '{"Type":"session.update","SESSION":{"Model":"other"}}',
    "other letters of the same case": '{"type":"session.update","\u017fe\u017f\u017fion":{"model":"other"}}',
    "at the top": '{"type":"session.update","model":"other","session":{}}',
    "no string": '{"type":"session.update","session":{"model":null}}',
    object: '{"type":"session.update","session":{"model":{"name":"gpt-realtime-mini"}}}',
    "trailing comma": '{"type":"session.update","session":{"model":"other",},}',
    "no end": '{"type":"session.update","session":{"model":"other"',
    "not a number": '{"a":NaN,"type":"session.update","session":{"temperature":Infinity,"model":"other"}}',
    "byte order mark": '\ufeff{"type":"session.update","session":{"model":"other"}}',
    "after something large": `{"x":"${"A".repeat(1e6)}","type":"session.update","session":{"model":"other"}}`,
    "UTF-16": utf16,
    "UTF-16, other order, marked": Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()]),
    "UTF-32": Buffer.concat([...utf16.toString("utf16le")].map((sign) => Buffer.from([0, 0, 0, sign.charCodeAt(0)]))),
  };
  for (const [name, event] of Object.entries(spellings)) t.equal(kindOf(event), "locked", name);
});

t.test("all other events pass", async (t) => {
  const passing: Record<string, string | Buffer> = {
    "the same model": '{"type":"session.update","session":{"model":"gpt-realtime-mini"}}',
    "the same model, escaped": '{"type":"session.update","session":{"model":"gpt\\u002drealtime-mini"}}',
    "no model": '{"type":"session.update","session":{"instructions":"the \\"model\\": \\"other\\""}}',
    "a transcription model": '{"type":"session.update","session":{"input_audio_transcription":{"model":"whisper-1"}}}',
    "a transcription model of today":
      '{"type":"session.update","session":{"audio":{"input":{"transcription":{"model":"whisper-1"}}}}}',
    "a model in a list": '{"type":"session.update","session":[{"model":"other"}]}',
    "a model deeper": '{"type":"session.update","session":{"tools":[{"model":"other"}],"x":{"model":"other"}}}',
    "another event": '{"type":"response.create","session":{"model":"other"}}',
    "an event that speaks of it":
      '{"type":"conversation.item.create","item":{"text":"session.update","session":{"model":"other"}}}',
    audio: JSON.stringify({ type: "input_audio_buffer.append", audio: Buffer.alloc(1e6, 7).toString("base64") }),
    "not JSON": "session.update model other",
    garbage: Buffer.from([0xff, 0x00, 0x22, 0x5c, 0x7b, 0x22]),
    nothing: "",
    "a lone backslash": "\\",
    brackets: "]}]}{{{[[\\",
  };
  for (const [name, event] of Object.entries(passing)) t.equal(kindOf(event), "pass", name);
});

t.test("the id of an event that was kept back is in the answer", async (t) => {
  const verdict = judge('{"event_id":"evt_\\u0031","type":"session.update","session":{"model":"other"}}');
  t.same(verdict, { kind: "locked", eventId: "evt_1" });
});

t.test("the caller's own name of the model reaches the upstream as the upstream's name", async (t) => {
  const names = { name: "fast", upstreamName: "large-2" };
  const update = (model: string) => `{"type":"session.update","session":{"model":"${model}","voice":"x"}}`;
  t.equal(judge(update("large-2"), names).kind, "pass");
  t.same(judge(update("fast"), names), {
    kind: "replaced",
    replacement: '{"type":"session.update","session":{"model":"large-2","voice":"x"}}',
  });
  t.equal(judge(update("other"), names).kind, "locked");
  t.equal(judge('{"type":"session.update","session":{"model":"fast",}}', names).kind, "locked", "it is not JSON");
});

t.test("an escaped word that is too long to matter is not read, and changes nothing", async (t) => {
  const long = "\\u0061".repeat(1e5);
  t.equal(kindOf(`{"type":"session.update","session":{"${long}":1,"model":"other"}}`), "locked");
  t.equal(kindOf(`{"type":"session.update","session":{"model":"${long}"}}`), "locked");
  t.equal(kindOf(`{"x":"${long}","type":"session.updat\\u0065","session":{"model":"other"}}`), "locked");
  t.equal(kindOf(`{"type":"${long}","session":{"model":"other"}}`), "pass");
});

t.test("images and audio fit, with escapes as well; structure has 64 KiB", async (t) => {
  const image = "A".repeat(4e6);
  t.equal(kindOf(`{"type":"conversation.item.create","x":["a\\nb","data:image/png;base64,${image}"]}`), "pass");
  t.equal(kindOf(`{"type":"input_audio_buffer.append","audio":"${"A".repeat(16e6)}"}`), "pass");
  t.equal(kindOf(`{"type":"session.update","session":{"tools":[${"1,".repeat(20_000)}1]}}`), "pass");
  t.equal(kindOf(`{"type":"session.update","session":{"tools":[${"1,".repeat(40_000)}1]}}`), "too_large");
  t.equal(kindOf(`{"x":"\\n","y":"${"A".repeat(5e6)}"}`), "too_large");
  t.equal(kindOf(Buffer.from(`{"type":"session.update","x":"${"A".repeat(1e5)}"}`, "utf16le")), "too_large");
});

t.test("judging the largest events takes some milliseconds", async (t) => {
  const texts = ["\\", '"', '""', "{", "[", ",", '\\"', "a ", '{"a":', '{"type":"', "aaaa", "\u017f", "\\u0061", " "];
  for (const text of texts) {
    const events = [`session.update\\"`, `{"session.update":`, `{"session.update":"`, `{"type":"`, ""].map((start) =>
      Buffer.from(start + text.repeat(4e6 / Buffer.byteLength(text))),
    );
    const startedMs = performance.now();
    for (const event of events) judge(event);
    const ms = (performance.now() - startedMs) / events.length;
    t.ok(ms < 200, `${JSON.stringify(text)}: ${ms} ms`);
  }
});
