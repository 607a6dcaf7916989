// What the calculator says, the names of prices, and the file for spreadsheets.
import t from "tap";
import {
  CAMERA_PRICING_CODE,
  CHAT_PRICING_CODE,
  DYNAMICS_PRICING_CODE,
  pricingCodeOf,
  REALTIME_PRICING_CODE,
  videoPricingCodeOf,
} from "../../../../../api/accounts/credits/price-list.ts";
import { pricing } from "../../../../../api/accounts/credits/pricing.ts";
import { FAMILIES } from "../../../../../shared/models.ts";
import { en } from "../../../../../web/console/texts/en/index.ts";
import { describeCode } from "../../../../../web/console/views/usage/describe-code.ts";
import { estimateCost } from "../../../../../web/console/views/usage/estimate-cost.ts";
import { toCsv } from "../../../../../web/console/views/usage/usage-csv.ts";

const NOTHING = {
  model: "essence-2",
  sessionMinutes: 0,
  isInBrowser: false,
  conversation: "none",
  filmMinutes: 0,
  agents: 0,
  gestures: 0,
  callMinutes: 0,
} as const;

t.test("the calculator uses the installation's prices", async (t) => {
  const prices = pricing(["essence-2", "expression-2"], true);
  const cost = (use: Partial<Parameters<typeof estimateCost>[0]>) => estimateCost({ ...NOTHING, ...use }, prices);
  t.equal(cost({}), 0);
  t.equal(cost({ sessionMinutes: 10 }), 40);
  t.equal(cost({ sessionMinutes: 10, isInBrowser: true }), 20);
  t.equal(cost({ sessionMinutes: 10, conversation: "chat" }), 140);
  t.equal(cost({ sessionMinutes: 10, conversation: "camera", isInBrowser: true }), 320);
  t.equal(cost({ sessionMinutes: 0.2 }), 0, "less than a credit is carried over");
  t.equal(cost({ filmMinutes: 1.1 }), 8, "each begun minute of a film");
  t.equal(cost({ agents: 2, model: "expression-2" }), 4000);
  t.equal(cost({ gestures: 1 }), 250);
  t.equal(cost({ callMinutes: 6 }), 60);
  t.equal(cost({ sessionMinutes: 10, model: "gone" }), 0, "a model without a price");
});

t.test("every price of the list has a name, and an unknown one is shown as it is", async (t) => {
  const codes = [
    ...FAMILIES.flatMap((family) => [
      pricingCodeOf({ family, isSelfHosted: false }),
      pricingCodeOf({ family, isSelfHosted: true }),
      videoPricingCodeOf(family),
      `agent_generation_${family}`,
    ]),
    CHAT_PRICING_CODE,
    CAMERA_PRICING_CODE,
    REALTIME_PRICING_CODE,
    DYNAMICS_PRICING_CODE,
  ];
  const { code: texts } = en.usage;
  for (const code of codes) {
    t.notMatch(describeCode(code, texts), /_/, code);
    t.equal(describeCode(`credit_refund_${code}`, texts), texts.refund(describeCode(code, texts)));
  }
  const cloud = { family: "essence-1", isSelfHosted: false } as const;
  t.equal(describeCode(pricingCodeOf(cloud), texts), texts.cloud("essence-1"), "with the first generation's number");
  t.equal(describeCode("gift", texts), "gift");
  t.equal(describeCode("constructor", texts), "constructor");
});

t.test("a file for spreadsheets quotes what must be quoted, and holds no formulas", async (t) => {
  t.equal(toCsv([["name", 1.5, -2]]), "name,1.5,-2\r\n");
  t.equal(toCsv([['a "b", c'], ["two\nlines"]]), '"a ""b"", c"\r\n"two\nlines"\r\n');
  for (const text of ["=1+1", "+1", "-1", "@cmd", "\t=1"]) t.match(toCsv([[text]]), /^"?'/, text);
});
