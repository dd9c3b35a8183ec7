/** @module Decides whether a stream gets colors. */
import pc from "picocolors";

export type Palette = ReturnType<typeof pc.createColors>;

const isSet = (value: string | undefined): boolean => value !== undefined && value !== "";

/**
 * Decides whether to use colors: `NO_COLOR` (no-color.org) disables them. `FORCE_COLOR` or
 * `CLICOLOR_FORCE` enables them, unless it is `0`. `CLICOLOR=0` or a dumb terminal disables them.
 * By default, terminals have colors.
 */
export function wantsColor(
  env: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): boolean {
  if (isSet(env.NO_COLOR)) return false;
  for (const forced of [env.FORCE_COLOR, env.CLICOLOR_FORCE]) {
    if (isSet(forced)) return forced !== "0";
  }
  if (env.CLICOLOR === "0" || env.TERM === "dumb") return false;
  return isTerminal;
}

/** Creates color functions, which do nothing if colors are off. */
export function createPalette(enabled: boolean): Palette {
  return pc.createColors(enabled);
}
