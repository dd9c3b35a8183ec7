/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * @module A project's production figures for the last day, which the overview shows on the
 * project's tile. The figures are loaded after the page, so the overview does not wait for them.
 */
import type { ProjectHealth } from "../../contract/health.ts";
import type { TrafficReport } from "../../contract/traffic.ts";
import { BarPlot } from "../layout/plots.tsx";
import { HealthMark } from "../layout/board_pieces.tsx";

const number = (value: number): string => value.toLocaleString("en-US");

/**
 * Shows a placeholder until the figures at `path` are loaded. Without scripts, the placeholder is a
 * link to the traffic page.
 */
export function DayPlace({ path, traffic }: { readonly path: string; readonly traffic: string }) {
  return (
    <div class="day" hx-get={path} hx-trigger="load" hx-select=".day" hx-swap="outerHTML">
      <noscript>
        <p class="small">
          <a href={traffic}>Requests in the last 24 hours</a>
        </p>
      </noscript>
    </div>
  );
}

/** Shows a project's health, and its requests and failures in the last 24 hours. */
export function dayFigures({ health, report: { steps, totals } }: {
  readonly health: ProjectHealth;
  readonly report: Pick<TrafficReport, "steps" | "totals">;
}) {
  const { requests, failures } = totals;
  const said = `${number(requests)} ${requests === 1 ? "request" : "requests"} in 24 hours`;
  return (
    <div class="day">
      <BarPlot
        label={`${said}, ${number(failures)} failed`}
        bars={steps.map(({ time, requests, failures }) => ({
          value: requests,
          bad: failures,
          name: `${time.slice(11, 16)}: ${number(requests)} requests, ${number(failures)} failed`,
        }))}
      />
      <p class="dots small soft">
        <span>{said}</span>
        {failures === 0 ? null : <span class="tag bad">{number(failures)} failed</span>}
      </p>
      {health.state === "static" ? null : (
        <p class="small">
          <HealthMark state={health.state} />
        </p>
      )}
    </div>
  );
}
