/** @module A validator of JSON Schema 2020-12 that also checks formats, for tests. */
import { Ajv2020, type Options } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** Creates a validator; `options` are Ajv's. */
export function ajvWithFormats(options: Options): Ajv2020 {
  const ajv = new Ajv2020(options);
  // More than one Ajv is installed, and the types of ajv-formats may refer to any of them.
  addFormats.default(ajv as never);
  return ajv;
}
