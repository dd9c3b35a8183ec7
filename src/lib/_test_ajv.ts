/**
 * A validator of JSON Schema 2020-12 that knows the formats, for tests.
 *
 * @module
 */
import { Ajv2020, type Options } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** Makes a validator; `options` are Ajv's own. */
export function ajvWithFormats(options: Options): Ajv2020 {
  const ajv = new Ajv2020(options);
  // More than one Ajv is installed, and which one the types of ajv-formats mean is left to chance.
  addFormats.default(ajv as never);
  return ajv;
}
