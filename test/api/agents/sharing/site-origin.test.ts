// Which texts name a site that may show a public page.
import t from "tap";
import { parseSiteOrigin } from "../../../../api/agents/sharing/site-origin.ts";

t.test("sites are named as browsers name them", (t) => {
  const cases: Record<string, string> = {
    "https://shop.example": "https://shop.example",
    "https://Shop.Example/": "https://shop.example",
    "https://shop.example:443": "https://shop.example",
    "https://shop.example:8443": "https://shop.example:8443",
    "https://*.shop.example": "https://*.shop.example",
    "https://*.shop.example:8443": "https://*.shop.example:8443",
    "https://bücher.example": "https://xn--bcher-kva.example",
    "https://192.0.2.7": "https://192.0.2.7",
    "http://localhost:3000": "http://localhost:3000",
    "http://127.0.0.1:8080": "http://127.0.0.1:8080",
    "http://[::1]:5173": "http://[::1]:5173",
  };
  for (const [text, origin] of Object.entries(cases)) t.equal(parseSiteOrigin(text), origin, text);
  t.end();
});

t.test("other texts, and those that would name more than one site, are refused", (t) => {
  const texts = [
    "",
    "*",
    "https:",
    "https://*",
    "https://*.example",
    "https://*.0.0.1",
    "http://*.localhost",
    "https://shop.*.example",
    "https://shop.example:*",
    "http://shop.example",
    "shop.example",
    "ftp://shop.example",
    "https://shop.example/path",
    "https://shop.example?x",
    "https://shop.example#x",
    "https://user@shop.example",
    "https://shop.example https://other.example",
    "https://shop.example; script-src *",
    "https://shop.example;script-src",
    "https://shop.example,x",
    "https://shop.example\n",
    "https://shop'.example",
    "'self'",
    "data:text/html,x",
    "javascript:alert(1)",
    "https://shop.example:99999",
  ];
  for (const text of texts) t.equal(parseSiteOrigin(text), undefined, JSON.stringify(text));
  t.end();
});
