/**
 * @module The YAML parser, in a separate module that is loaded on demand. In the compiled program,
 * a dynamically imported CommonJS package has no named exports.
 */
export { parse as parseYaml } from "yaml";
