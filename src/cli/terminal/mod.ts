/**
 * What the terminal shows: text, colours, tables, progress and the JSON lines of
 * `--json`.
 *
 * @module
 */
export { createPalette, type Palette, wantsColor } from "./color.ts";
export {
  formatAge,
  formatBytes,
  formatCount,
  formatDuration,
  printable,
  printableName,
} from "./format.ts";
export type { Progress } from "./progress.ts";
export { formatFacts } from "./table.ts";
export { createUi, type Phase, PHASES, type Ui } from "./ui.ts";
export type { Writer } from "./writer.ts";
