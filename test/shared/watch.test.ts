// Requests and replies of `service.watch`.
import t from "tap";
import { parseWatchReply, parseWatchRequest } from "../../shared/watch.ts";

t.test("a request names what its sender needs, and nothing else passes for one", async (t) => {
  for (const needs of ["video", "motion", "nothing"]) t.same(parseWatchRequest(JSON.stringify({ needs })), { needs });
  t.same(parseWatchRequest('{"needs":"video","since":"a newer page"}'), { needs: "video" });
  for (const payload of ["", "video", "null", "[]", "{}", '{"needs":"audio"}', '{"needs":["video"]}', "{"]) {
    t.equal(parseWatchRequest(payload), undefined, payload);
  }
  t.equal(parseWatchRequest(`{"needs":"video","padding":"${"x".repeat(1_000)}"}`), undefined, "too long");
});

t.test("a reply says what is rendered, or why nothing changes", async (t) => {
  t.same(parseWatchReply('{"ok":true,"renders":"motion"}'), { ok: true, renders: "motion" });
  const refusal = { ok: false, code: "SERVICE_UNAVAILABLE", message: "busy" };
  t.same(parseWatchReply(JSON.stringify(refusal)), refusal);
  for (const payload of ["", "1", '{"ok":true}', '{"ok":false,"code":"BUSY","message":""}', '{"ok":false}']) {
    t.equal(parseWatchReply(payload), undefined, payload);
  }
});
