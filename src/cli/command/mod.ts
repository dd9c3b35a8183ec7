/**
 * What every command is made of: its definition, arguments, flags, help and
 * confirmation.
 *
 * @module
 */
export {
  findCommand,
  namedWords,
  resolveNamedInput,
  resolveSwitches,
  withoutHelpFlags,
} from "./arguments.ts";
export { defineCommand, type LoadedCommand, type Perform } from "./command.ts";
export {
  aliasOf,
  type CommandEntry,
  type CommandGroup,
  type CommandLeaf,
  isGroup,
  leavesOf,
  type NamedLeaf,
  type Section,
  SECTIONS,
} from "./command_entry.ts";
export { confirm } from "./confirm.ts";
export { definedOnly } from "./defined_only.ts";
export { type Captured, configureHelp, formatExamples, type Output } from "./help.ts";
export { knownNames } from "./known_names.ts";
export {
  booleanValue,
  byteSize,
  decimalNumber,
  deploymentId,
  duration,
  hostName,
  httpUrl,
  limitOption,
  nodeName,
  parseSince,
  repeated,
  repeatedList,
  wholeNumber,
} from "./option_values.ts";
export { oldForce, wantsRebuild } from "./renamed_flag.ts";
export {
  checkValue,
  checkValueFlags,
  readNamedFile,
  readPiped,
  readValue,
  type ValueFlags,
} from "./read_value.ts";
export { type MissingNodes, warnOfMissingNodes } from "./missing_nodes.ts";
