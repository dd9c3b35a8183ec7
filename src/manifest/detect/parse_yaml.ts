/**
 * The parser of YAML, in its own module that is loaded if it is needed. If a CommonJS package
 * itself is imported dynamically, it has no named exports in the compiled program.
 *
 * @module
 */
export { parse as parseYaml } from "yaml";
