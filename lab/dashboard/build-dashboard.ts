// Builds the Grafana dashboard from its panels, in Grafana's own JSON format.
import { type Panel, ROWS, type Unit } from "./panels.ts";

/** Of Grafana 11; later versions bring it up to date when they load it. */
const SCHEMA_VERSION = 39;
const COLUMNS = 3;
const WIDTH = 24 / COLUMNS;
const HEIGHT = 7;
const DATASOURCE = { type: "prometheus", uid: `\${datasource}` };
/** Names of units in Grafana, where they differ. */
const UNIT_NAMES: Partial<Record<Unit, string>> = { cores: "short", bool: "bool_yes_no" };

/** The dashboard, to be written as JSON. */
export function buildDashboard(): object {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: rowPanels } of ROWS) {
    const id = () => panels.length + 1;
    panels.push({ id: id(), type: "row", title, collapsed: false, gridPos: { x: 0, y, w: 24, h: 1 }, panels: [] });
    y += 1;
    for (const [index, panel] of rowPanels.entries()) {
      const place = { x: (index % COLUMNS) * WIDTH, y: y + Math.floor(index / COLUMNS) * HEIGHT };
      panels.push({ id: id(), ...toPanel(panel), gridPos: { ...place, w: WIDTH, h: HEIGHT } });
    }
    y += Math.ceil(rowPanels.length / COLUMNS) * HEIGHT;
  }
  return {
    uid: "avatar-service",
    title: "Avatar service",
    description: "Sessions, frames, start times, latencies, jobs and ledger of an avatar service",
    tags: ["avatar-service"],
    schemaVersion: SCHEMA_VERSION,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: "10s",
    time: { from: "now-1h", to: "now" },
    timezone: "browser",
    templating: {
      list: [
        {
          name: "datasource",
          label: "Data source",
          type: "datasource",
          query: "prometheus",
          refresh: 1,
          hide: 0,
          multi: false,
          includeAll: false,
        },
      ],
    },
    annotations: { list: [] },
    links: [],
    panels,
  };
}

function toPanel({ title, help, unit, queries }: Panel): object {
  return {
    type: "timeseries",
    title,
    description: help,
    datasource: DATASOURCE,
    targets: queries.map(({ promql, legend }, index) => ({
      refId: String.fromCharCode("A".charCodeAt(0) + index),
      datasource: DATASOURCE,
      expr: promql,
      legendFormat: legend === "" ? "__auto" : legend,
      range: true,
    })),
    fieldConfig: {
      defaults: {
        unit: UNIT_NAMES[unit] ?? unit,
        min: 0,
        custom: { drawStyle: "line", lineWidth: 1, fillOpacity: 10, showPoints: "never", spanNulls: false },
      },
      overrides: [],
    },
    options: {
      legend: { displayMode: "list", placement: "bottom", showLegend: true },
      tooltip: { mode: "multi", sort: "desc" },
    },
  };
}
