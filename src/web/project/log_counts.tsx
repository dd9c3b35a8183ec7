/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * @module Counts a log's entries over time, and their most frequent values. The counts are loaded
 * after the page, so the page does not wait for them.
 */
import type { Deployment } from "../../contract/deployments.ts";
import { LOG_FACETS, type LogFacet, type LogSummary, MAX_COUNTED } from "../../contract/logs.ts";
import { logQuery, type LogSelection } from "./log_selection.ts";

const number = (value: number): string => value.toLocaleString("en-US");

/**
 * Shows a placeholder until the counts at `path` are loaded. Without scripts, the placeholder is a
 * link to a page with the counts.
 */
export function CountsPlace({ path, page }: { readonly path: string; readonly page: string }) {
  return (
    <div class="counts" hx-get={path} hx-trigger="load" hx-select=".counts" hx-swap="outerHTML">
      <noscript>
        <p class="small">
          <a href={page}>Count these entries</a>
        </p>
      </noscript>
    </div>
  );
}

const HEIGHT = 60;
const [BAR, GAP] = [8, 2];

const stepText = (time: string, seconds: number): string =>
  seconds >= 86_400 ? time.slice(0, 10) : `${time.slice(5, 10)} ${time.slice(11, 16)}`;

function Histogram({ summary, linkTo }: {
  readonly summary: LogSummary;
  linkTo(changes: Readonly<Record<string, string | undefined>>): string;
}) {
  const { steps, stepSeconds, from, to, entries } = summary;
  const most = Math.max(1, ...steps.map((step) => step.entries));
  const heightOf = (count: number) =>
    count === 0 ? 0 : Math.max(1.5, Math.round(count / most * HEIGHT * 10) / 10);
  return (
    <>
      <svg
        class="plot short"
        viewBox={`0 0 ${steps.length * (BAR + GAP) - GAP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="group"
        aria-label={`${number(entries)} entries over time, UTC`}
      >
        {steps.map((step, index) => {
          if (step.entries === 0) return null;
          const x = index * (BAR + GAP);
          const name = `${stepText(step.time, stepSeconds)}: ${number(step.entries)} entries, ${
            number(step.errors)
          } errors`;
          const until = new Date(Date.parse(step.time) + stepSeconds * 1000).toISOString();
          const bars = [["bar-fill", step.entries], ["care", step.warnings + step.errors], [
            "bad",
            step.errors,
          ]] as const;
          return (
            <a
              key={index}
              href={linkTo({ since: step.time, until, range: undefined })}
              aria-label={name}
            >
              <title>{name}</title>
              <rect class="ground" x={x} y={0} width={BAR} height={HEIGHT} />
              {bars.map(([kind, count]) => (
                <rect
                  key={kind}
                  class={kind}
                  x={x}
                  y={HEIGHT - heightOf(count)}
                  width={BAR}
                  height={heightOf(count)}
                />
              ))}
            </a>
          );
        })}
      </svg>
      <p class="plot-ends small soft">
        <span>{`${stepText(from, 1)} UTC`}</span>
        <span>{`${stepText(to, 1)} UTC`}</span>
      </p>
    </>
  );
}

const FACET_WORDS: Readonly<Record<LogFacet, string>> = {
  status: "Status",
  method: "Method",
  host: "Host",
  path: "Path",
  deployment: "Deployment",
};

function deploymentName(id: string, deployments: readonly Deployment[]): string {
  const found = deployments.find((each) => each.id === id);
  return found === undefined ? id.slice(-12) : `${found.environment} ${id.slice(-12)}`;
}

/** Shows the counts for a part of the log. Each count links to the entries that it includes. */
export function LogCounts({ summary, selection, deployments, path }: {
  readonly summary: LogSummary;
  readonly selection: LogSelection;
  readonly deployments: readonly Deployment[];
  readonly path: string;
}) {
  const linkTo = (changes: Readonly<Record<string, string | undefined>>) =>
    `${path}?${new URLSearchParams(logQuery(selection, changes))}`;
  return (
    <div class="counts stack-little">
      <Histogram summary={summary} linkTo={linkTo} />
      {summary.isComplete ? null : (
        <p class="small soft">
          {`Only the latest ${
            number(MAX_COUNTED)
          } entries are counted. Choose a shorter period to count all.`}
        </p>
      )}
      <div class="facets">
        {LOG_FACETS.map((facet) => {
          const values = summary.facets[facet];
          if (values.length === 0) return null;
          return (
            <details key={facet} class="more">
              <summary>{`${FACET_WORDS[facet]} (${values.length})`}</summary>
              <ul class="small">
                {values.map(({ value, count }) => (
                  <li key={value}>
                    <a href={linkTo({ [facet]: value })}>
                      {facet === "deployment" ? deploymentName(value, deployments) : value}
                    </a>
                    <span class="num">{number(count)}</span>
                  </li>
                ))}
              </ul>
            </details>
          );
        })}
      </div>
    </div>
  );
}
