/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Shows numbers over time: a table that a script turns into a chart. */
import type { Child } from "hono/jsx";
import { formatBytes } from "../../lib/format.ts";

export interface ChartSeries {
  readonly name: string;
  /**
   * How the series is drawn: as light bars, as solid bars in front of the light ones, as a dashed
   * line, or as an area.
   */
  readonly kind: "bars" | "solid" | "line" | "area";
}

interface ChartRow {
  /** Start of the time step. */
  readonly time: string;
  /** One value for each series; null if the value is unknown. */
  readonly values: readonly (number | null)[];
}

const TEXTS = {
  count: (value: number) => value.toLocaleString("en-US"),
  bytes: formatBytes,
} as const;

/** Returns a step's label: its day, its time of day, or both if the steps cover several days. */
export function stepName(time: string, { seconds, isLong }: {
  readonly seconds: number;
  readonly isLong: boolean;
}): string {
  if (seconds >= 86_400) return time.slice(0, 10);
  return isLong ? `${time.slice(5, 10)} ${time.slice(11, 16)}` : time.slice(11, 16);
}

/** Whether the steps cover at least a day. */
export const isLong = (rows: readonly { readonly time: string }[]): boolean =>
  rows.length > 0 && Date.parse(rows.at(-1)!.time) - Date.parse(rows[0]!.time) >= 86_400_000;

export function TimeChart({ label, unit, stepSeconds, series, rows, children }: {
  /** The text for screen readers. */
  readonly label: string;
  readonly unit: keyof typeof TEXTS;
  readonly stepSeconds: number;
  readonly series: readonly ChartSeries[];
  /** Oldest first. */
  readonly rows: readonly ChartRow[];
  /** The image to show if scripts are not available. */
  children?: Child;
}) {
  const name = { seconds: stepSeconds, isLong: isLong(rows) };
  return (
    <figure class="chart stack-little" data-chart data-unit={unit} data-step={stepSeconds}>
      <div class="chart-place" data-place data-label={label}>{children}</div>
      <details
        class="more"
        open={children === undefined}
        data-folds={children === undefined ? "" : undefined}
      >
        <summary>Show as table</summary>
        <div class="scroll tall" tabindex={0} role="region" aria-label={`${label}, as a table`}>
          <table>
            <thead>
              <tr>
                <th>{stepSeconds >= 86_400 ? "Day (UTC)" : "Time (UTC)"}</th>
                {series.map(({ name, kind }) => (
                  <th key={name} class="num" data-kind={kind}>{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ time, values }) => (
                <tr key={time} data-time={Date.parse(time) / 1000}>
                  <td>{stepName(time, name)}</td>
                  {values.map((value, at) => (
                    <td key={at} class="num" data-value={value ?? ""}>
                      {value === null ? "–" : TEXTS[unit](value)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
