/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Small SVG plots that work without a script. */

interface PlotBar {
  readonly value: number;
  /** The part of the value that represents failures. */
  readonly bad?: number;
  /** The bar's label, such as `14:00: 120 requests`. */
  readonly name: string;
}

const HEIGHT = 100;
/** Width of a bar, and width of the gap after it. */
const BAR = 8;
const GAP = 2;
/** Minimum height of a bar, so that any value above 0 is visible. */
const LEAST = 1.5;

const heightOf = (value: number, most: number): number =>
  value === 0 ? 0 : Math.max(LEAST, Math.round(value / most * HEIGHT * 10) / 10);

/** Shows values over time as bars, oldest first. */
export function BarPlot({ bars, label }: {
  readonly bars: readonly PlotBar[];
  /** The text for screen readers. */
  readonly label: string;
}) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const width = bars.length * (BAR + GAP) - GAP;
  return (
    <svg
      class="plot"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {bars.map(({ value, bad = 0, name }, index) => {
        const [height, badHeight] = [heightOf(value, most), heightOf(bad, most)];
        const x = index * (BAR + GAP);
        return (
          <g key={index}>
            <title>{name}</title>
            <rect class="ground" x={x} y={0} width={BAR} height={HEIGHT} />
            <rect class="bar-fill" x={x} y={HEIGHT - height} width={BAR} height={height} />
            {badHeight === 0
              ? null
              : <rect class="bad" x={x} y={HEIGHT - badHeight} width={BAR} height={badHeight} />}
          </g>
        );
      })}
    </svg>
  );
}

/** Shows a value relative to a maximum, as a line below a row. */
export function ShareLine({ value, most }: { readonly value: number; readonly most: number }) {
  return (
    <svg class="share" viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true">
      <rect
        width={value === 0 ? 0 : Math.max(1, Math.round(value / Math.max(1, most) * 100))}
        height={2}
      />
    </svg>
  );
}

/** Maximum number of values that are shown. */
const SHOWN = 10;

/** Shows counted values, most frequent first, each relative to the highest count. */
export function Shares({ items }: {
  readonly items: readonly { readonly value: string; readonly count: number }[];
}) {
  const most = items[0]?.count ?? 1;
  return (
    <ol class="shares">
      {items.slice(0, SHOWN).map(({ value, count }) => (
        <li key={value}>
          <span class="clip" title={value}>{value}</span>
          <span class="num">{count.toLocaleString("en-US")}</span>
          <ShareLine value={count} most={most} />
        </li>
      ))}
    </ol>
  );
}
