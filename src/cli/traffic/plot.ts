/** @module Plots numbers over time as a line of bars. Pure. */

const BARS = "▁▂▃▄▅▆▇█";

/** Maximum number of bars in a line. */
const MAX_WIDTH = 60;

/** Sums adjacent values until at most `most` values remain. */
function grouped(values: readonly number[], most: number): number[] {
  const size = Math.ceil(values.length / most);
  const sums: number[] = [];
  values.forEach((value, at) => {
    const group = Math.floor(at / size);
    sums[group] = (sums[group] ?? 0) + value;
  });
  return sums;
}

/** Plots one bar per value. The largest value gets the highest bar, and 0 gets a dot. */
export function plotBars(values: readonly number[]): string {
  const bars = grouped(values, MAX_WIDTH);
  const most = Math.max(...bars, 1);
  return bars.map((value) =>
    value === 0 ? "·" : BARS[Math.min(BARS.length - 1, Math.floor(value / most * BARS.length))]
  ).join("");
}
