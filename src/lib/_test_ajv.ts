/** @module A JSON Schema 2020-12 validator for tests that also checks formats. */
import { Ajv2020, type Options } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** Creates a validator. `options` are Ajv's options. */
export function ajvWithFormats(options: Options): Ajv2020 {
  const ajv = new Ajv2020(options);
  // Several versions of Ajv are installed, and the types of ajv-formats may refer to any of them.
  addFormats.default(ajv as never);
  return ajv;
}
