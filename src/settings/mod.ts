/** @module The settings of `svc serve`: one table, and everything derived from it. */
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
