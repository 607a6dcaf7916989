// What was spent in a span, by day, agent, API secret or price: as a chart, a table and a file.
import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactElement, Suspense, useCallback, useMemo, useState } from "react";
import { Button, ToggleButton, ToggleButtonGroup } from "react-aria-components";
import type { GroupedUsage, UsageGroup } from "../../../../sdk/client/index.ts";
import { saveFile } from "../../../shared/save-file.ts";
import { SelectField } from "../../controls/field.tsx";
import { Panel } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { Table } from "../../controls/table.tsx";
import { useConsole } from "../../data/console-context.ts";
import type { Texts } from "../../texts/load-texts.ts";
import { useFormats, useLanguage, useTexts } from "../../texts/texts-context.ts";
import { describeCode } from "./describe-code.ts";
import { toCsv } from "./usage-csv.ts";

const BarChart = lazy(() => import("./bar-chart.tsx"));

const GROUPS = ["day", "agent", "api_secret", "pricing_code"] as const;
type Grouping = (typeof GROUPS)[number];
const SPANS = ["7", "30", "90", "365"] as const;
type Span = (typeof SPANS)[number];
const MEASURES = ["credits", "seconds"] as const;
type Measure = (typeof MEASURES)[number];

const DAY_MS = 86_400_000;
/** Bars of a chart; the others are one more. */
const MOST_BARS = 24;
const CONSOLE_KEY = "console";

/** A group with the name that a person reads. */
interface NamedGroup extends UsageGroup {
  words: string;
}

/** `agentCode` undefined: of all agents. */
export function SpentPanel({ agentCode }: { agentCode: string | undefined }): ReactElement {
  const { usage } = useTexts();
  const { client } = useConsole();
  const [by, setBy] = useState<Grouping>("day");
  const [span, setSpan] = useState<Span>("30");
  const [measure, setMeasure] = useState<Measure>("credits");
  const groups = useQuery({
    queryKey: ["credits", "groups", by, span, agentCode ?? ""],
    queryFn: () => client.usage.group({ by, start: startOf(Number(span)), agent_code: agentCode }),
    placeholderData: (former) => former,
  });
  return (
    <Panel title={usage.spent}>
      <div className="usage-choices">
        <ToggleButtonGroup
          aria-label={usage.groupBy}
          className="row"
          disallowEmptySelection
          onSelectionChange={([chosen]) => setBy(chosen as Grouping)}
          selectedKeys={[by]}
          selectionMode="single"
        >
          {GROUPS.map((name) => (
            <ToggleButton className="chip" id={name} key={name}>
              {usage.groups[name]}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
        <SelectField
          choices={SPANS.map((value) => ({ value, words: usage.spans[value] }))}
          label={usage.span}
          onChange={(chosen) => setSpan(chosen)}
          value={span}
        />
        <SelectField
          choices={MEASURES.map((value) => ({ value, words: usage.measures[value] }))}
          label={usage.show}
          onChange={(chosen) => setMeasure(chosen)}
          value={measure}
        />
      </div>
      <QueryResult empty={<p>{usage.nothingInSpan}</p>} isEmpty={(data) => data.group_count === 0} query={groups}>
        {(data) => <Spent data={data} measure={measure} />}
      </QueryResult>
    </Panel>
  );
}

function Spent({ data, measure }: { data: GroupedUsage; measure: Measure }): ReactElement {
  const { usage, shell } = useTexts();
  const { language } = useLanguage();
  const formats = useFormats();
  const [index, setIndex] = useState<number | null>(null);
  const groups = useMemo(() => nameGroups(data, usage, language), [data, usage, language]);
  const shown = useMemo(
    () => (data.by === "day" ? fillDays(groups, data) : cutBars(groups, usage)),
    [data, groups, usage],
  );
  const names = useMemo(() => shown.map(({ words }) => words), [shown]);
  const values = useMemo(
    () => shown.map(({ credits, seconds }) => (measure === "credits" ? credits : seconds / 60)),
    [shown, measure],
  );
  const write = useCallback((value: number) => formats.credits(value), [formats]);
  const what = usage.chartOf(usage.measures[measure], usage.groups[data.by]);
  const at = index === null ? undefined : shown[index];
  const said = (words: string, { credits, seconds }: Pick<UsageGroup, "credits" | "seconds">) =>
    `${words}: ${usage.credits(formats.credits(credits))}, ${formats.duration(seconds)}`;
  const columns = [
    { title: usage.groups[data.by], cell: ({ words }: NamedGroup) => words },
    { title: usage.measures.credits, cell: (group: NamedGroup) => formats.credits(group.credits), isNumber: true },
    { title: usage.measures.seconds, cell: (group: NamedGroup) => formats.duration(group.seconds), isNumber: true },
  ];
  const download = () => {
    const head = [usage.groups[data.by], "key", "credits", "seconds"];
    const rows = groups.map(({ words, key, credits, seconds }) => [words, key ?? "", credits, seconds]);
    // The mark lets spreadsheets read it as UTF-8.
    saveFile(new Blob(["\uFEFF", toCsv([head, ...rows])], { type: "text/csv" }), `usage-by-${data.by}.csv`);
  };
  return (
    <>
      <Suspense fallback={<p className="waiting chart">{shell.loading}</p>}>
        <BarChart
          index={index}
          label={usage.chart(what)}
          names={names}
          onRead={setIndex}
          values={values}
          write={write}
        />
      </Suspense>
      <p className="chart-said" role="status">
        {at ? said(at.words, at) : said(usage.total, data.total)}
      </p>
      <p className="fine">{data.by === "pricing_code" ? usage.linesNote : usage.daysNote}</p>
      <details className="folded">
        <summary>{usage.asTable}</summary>
        <Table columns={columns} keyOf={({ key }) => key ?? ""} label={what} rows={groups} />
      </details>
      <Button onPress={download}>{usage.download}</Button>
    </>
  );
}

/** The first day of a span of whole days that ends today, in UTC. */
function startOf(days: number): string {
  return new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
}

function nameGroups({ by, groups }: GroupedUsage, usage: Texts["usage"], language: string): NamedGroup[] {
  const days = dayFormat(language);
  return groups.map((group) => {
    const { key, name } = group;
    if (by === "day") return { ...group, words: days.format(new Date(key ?? "")) };
    if (by === "pricing_code") return { ...group, words: describeCode(key ?? "", usage.code) };
    if (by === "agent") return { ...group, words: name || key || usage.noAgent };
    if (key === CONSOLE_KEY) return { ...group, words: usage.console };
    return { ...group, words: name ?? usage.unknownSecret };
  });
}

/** All days of the span, those without usage too. */
function fillDays(groups: readonly NamedGroup[], { start, end }: GroupedUsage): NamedGroup[] {
  const found = new Map(groups.map((group) => [group.key, group]));
  const days = dayFormat(document.documentElement.lang);
  const filled: NamedGroup[] = [];
  for (let atMs = Date.parse(start); atMs < Date.parse(end); atMs += DAY_MS) {
    const key = new Date(atMs).toISOString().slice(0, 10);
    filled.push(found.get(key) ?? { key, name: null, words: days.format(atMs), credits: 0, seconds: 0 });
  }
  return filled;
}

/** The largest groups, and the others as one. */
function cutBars(groups: readonly NamedGroup[], usage: Texts["usage"]): NamedGroup[] {
  if (groups.length <= MOST_BARS) return [...groups];
  const others = groups.slice(MOST_BARS);
  const sum = (part: "credits" | "seconds") => others.reduce((total, group) => total + group[part], 0);
  const rest = {
    key: null,
    name: null,
    words: usage.others(others.length),
    credits: sum("credits"),
    seconds: sum("seconds"),
  };
  return [...groups.slice(0, MOST_BARS), rest];
}

function dayFormat(language: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone: "UTC" });
}
