/**
 * @module The YAML parser, in a separate module that is loaded on demand. A CommonJS package that
 * is imported dynamically has no named exports in the compiled program.
 */
export { parse as parseYaml } from "yaml";
