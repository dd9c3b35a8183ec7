/**
 * @module The YAML parser, in a separate module that is loaded on demand. If a CommonJS package
 * itself is imported dynamically, it has no named exports in the compiled program.
 */
export { parse as parseYaml } from "yaml";
