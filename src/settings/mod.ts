/**
 * The settings of `svc serve`: one table, and what follows from it.
 *
 * @module
 */
export {
  completeSettings,
  DEFAULTS,
  type GivenSettings,
  optionAt,
  type Settings,
} from "./options.ts";
export { foundOptions, type FoundSettings, readSettings, type SettingsFile } from "./read.ts";
export { defaultText, printSettings } from "./print.ts";
export {
  CONFIG_VARIABLE,
  flagOf,
  GROUPS,
  isAction,
  type Setting,
  SETTINGS,
  variableOf,
} from "./table.ts";
