/**
 * The parser of YAML, in its own module that is loaded where it is needed. A package
 * of CommonJS that is imported itself when needed has no names in the compiled program.
 *
 * @module
 */
export { parse as parseYaml } from "yaml";
