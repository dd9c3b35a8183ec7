/**
 * Globs, texts with references to their captures, and the targets made of them.
 *
 * @module
 */
export { captureNames, type GlobToken, literalPrefix, parseGlob } from "./glob.ts";
export {
  type CompiledTarget,
  compileTarget,
  expandTarget,
  type ParsedTarget,
  parseTarget,
  resolvedPath,
} from "./target.ts";
export {
  compileHeaderValue,
  encodeHeaderText,
  encodeUrlText,
  expandPieces,
  parseTemplate,
  templateReferences,
} from "./template.ts";
