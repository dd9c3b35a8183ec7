/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module A project's traffic: requests, visitors, pages and response times. */
import { endpoints } from "../../contract/endpoints.ts";
import {
  type CountedValue,
  TRAFFIC_RANGES,
  type TrafficRange,
  type TrafficReport,
  type TrafficStep,
  trafficUnit,
} from "../../contract/traffic.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { environmentNames } from "./environment_names.ts";
import { openProject, type ProjectVisit } from "./open_project.ts";
import { formatBytes } from "../../lib/format.ts";
import { BarPlot, Shares } from "../layout/plots.tsx";
import { CHART_SCRIPT_PATH } from "../layout/chart_script.ts";
import { type ChartSeries, isLong, stepName, TimeChart } from "../layout/time_chart.tsx";
import { CountriesCard } from "./countries_card.tsx";
import { Empty, SelectField } from "../layout/board_pieces.tsx";
import { Card } from "../layout/pieces.tsx";
import { projectPage } from "./project_page.tsx";
import { VitalsCard } from "./vitals_card.tsx";

const RANGE_NAMES: Readonly<Record<TrafficRange, string>> = {
  hour: "Hour",
  day: "24 hours",
  "90d": "90 days",
};

const SPANS: Readonly<Record<TrafficRange, string>> = {
  hour: "The last hour",
  day: "The last 24 hours",
  "90d": "The last 90 days",
};

const number = (value: number): string => value.toLocaleString("en-US");

const spanOf = ({ range, stepSeconds }: TrafficReport): string =>
  `${SPANS[range]}, by ${trafficUnit(stepSeconds)}`;

function Ranges({ path, report }: { readonly path: string; readonly report: TrafficReport }) {
  const { environment } = report;
  return (
    <nav class="ranges" aria-label="Range">
      {TRAFFIC_RANGES.map((range) => (
        <a
          key={range}
          href={`${path}?${new URLSearchParams({ range, environment })}`}
          aria-current={range === report.range ? "page" : undefined}
        >
          {RANGE_NAMES[range]}
        </a>
      ))}
    </nav>
  );
}

function Selection({ path, report, environments }: {
  readonly path: string;
  readonly report: TrafficReport;
  readonly environments: readonly string[];
}) {
  return (
    <div class="row apart">
      <Ranges path={path} report={report} />
      <form method="get" action={path} class="row">
        <input type="hidden" name="range" value={report.range} />
        <SelectField
          label="Environment"
          name="environment"
          values={environments}
          chosen={report.environment}
        />
        <button class="quiet little button" type="submit">Show</button>
      </form>
    </div>
  );
}

function Totals({ totals }: Pick<TrafficReport, "totals">) {
  const figures = [
    ["Visitors", number(totals.visitors)],
    ["Page views", number(totals.pageViews)],
    ["Requests", number(totals.requests)],
    ["Bots", number(totals.bots)],
    ["Data", formatBytes(totals.bytes)],
    ["Failures", number(totals.failures)],
  ] as const;
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div key={name} class={name === "Failures" && totals.failures > 0 ? "bad" : undefined}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const SERIES: readonly ChartSeries[] = [
  { name: "Requests", kind: "bars" },
  { name: "Failures", kind: "solid" },
  { name: "Visitors", kind: "line" },
];

function Plot({ report }: { readonly report: TrafficReport }) {
  const { steps, stepSeconds, totals } = report;
  const label = `${spanOf(report)}: ${number(totals.requests)} requests`;
  const name = { seconds: stepSeconds, isLong: isLong(steps) };
  const barOf = ({ time, requests, visitors, failures }: TrafficStep) => ({
    value: requests,
    bad: failures,
    name: `${stepName(time, name)}: ${number(requests)} requests, ${number(visitors)} visitors` +
      (failures === 0 ? "" : `, ${number(failures)} failures`),
  });
  return (
    <TimeChart
      label={label}
      unit="count"
      stepSeconds={stepSeconds}
      series={SERIES}
      rows={steps.map(({ time, requests, failures, visitors }) => ({
        time,
        values: [requests, failures, visitors],
      }))}
    >
      <BarPlot bars={steps.map(barOf)} label={label} />
      <p class="plot-ends soft small">
        <span>{stepName(steps[0]!.time, name)}</span>
        <span>{`${stepName(steps.at(-1)!.time, name)} UTC`}</span>
      </p>
    </TimeChart>
  );
}

function List({ title, unit, items, none }: {
  readonly title: string;
  readonly unit: string;
  readonly items: readonly CountedValue[];
  readonly none: string;
}) {
  return (
    <Card id={title.toLowerCase()} title={title} lead={items.length === 0 ? none : unit}>
      {items.length === 0 ? null : <Shares items={items} />}
    </Card>
  );
}

function Times({ times }: Pick<TrafficReport, "times">) {
  const ms = (value: number) => `${value} ms`;
  return (
    <Card
      title="Response times"
      lead="Time to response headers. 95% of requests were at least as fast as p95."
      id="times"
    >
      <div class="scroll" tabindex={0} role="region" aria-label="Response times by layer">
        <table>
          <thead>
            <tr>
              <th>Served by</th>
              <th class="num">Requests</th>
              <th class="num">p50</th>
              <th class="num">p95</th>
              <th class="num">p99</th>
            </tr>
          </thead>
          <tbody>
            {times.map(({ layer, count, p50, p95, p99 }) => (
              <tr key={layer}>
                <td>{layer}</td>
                <td class="num">{number(count)}</td>
                <td class="num">{ms(p50)}</td>
                <td class="num">{ms(p95)}</td>
                <td class="num">{ms(p99)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

function Lists({ pages, referrers, devices, statuses }: TrafficReport) {
  const answers = statuses.map(({ status, count }) => ({ value: String(status), count }))
    .sort((a, b) => b.count - a.count);
  return (
    <div class="tiles four">
      <List title="Pages" unit="Views" items={pages} none="No page views yet." />
      <List title="Referrers" unit="Views" items={referrers} none="No referrers yet." />
      <List title="Devices" unit="Requests without bots" items={devices} none="No requests yet." />
      <List title="Statuses" unit="Responses" items={answers} none="No responses yet." />
    </div>
  );
}

function trafficPage(
  parts: ProjectVisit,
  { report, environments }: {
    readonly report: TrafficReport;
    readonly environments: readonly string[];
  },
): Response {
  const { path, project } = parts;
  const isQuiet = report.totals.requests === 0;
  return projectPage(
    parts,
    { here: "traffic", about: "traffic", scripts: [CHART_SCRIPT_PATH] },
    <>
      <Card
        title={spanOf(report)}
        lead="Counted at the edge, without scripts, cookies or visitor profiles."
        id="traffic"
      >
        <div class="body">
          <Selection path={path("traffic")} report={report} environments={environments} />
          {isQuiet
            ? (
              <Empty
                title="No requests yet"
                command={`svc traffic --project-id ${project.name}`}
              >
                See this in a terminal:
              </Empty>
            )
            : (
              <>
                <Totals totals={report.totals} />
                <Plot report={report} />
              </>
            )}
        </div>
      </Card>
      {isQuiet ? null : <CountriesCard countries={report.countries} />}
      {isQuiet ? null : <Lists {...report} />}
      {isQuiet ? null : <Times times={report.times} />}
      {isQuiet && report.vitals === undefined ? null : <VitalsCard vitals={report.vitals} />}
    </>,
  );
}

export function bindTraffic(bind: PageBinder, services: BoardServices): void {
  bind.personal("GET", "/workspaces/:slug/projects/:project/traffic", async (visit) => {
    const parts = await openProject(visit, services);
    const wanted = visit.query.get("range");
    const range = TRAFFIC_RANGES.find((name) => name === wanted) ?? "day";
    const environments = await environmentNames(parts);
    const asked = visit.query.get("environment");
    const environment = environments.find((name) => name === asked) ?? "production";
    const report = await parts.api.call(endpoints.getTraffic, {
      params: { project: parts.project.name },
      query: { range, environment },
    });
    return trafficPage(parts, { report, environments });
  });
}
