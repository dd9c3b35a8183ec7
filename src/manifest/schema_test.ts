import assert from "node:assert/strict";
import { manifestJsonSchema } from "./schema.ts";

const FILE = new URL("../../docs/schema/manifest.schema.json", import.meta.url);

Deno.test("docs/schema/manifest.schema.json matches manifestJsonSchema()", () => {
  const text = `${JSON.stringify(manifestJsonSchema(), null, 2)}\n`;
  if (Deno.env.get("UPDATE_GOLDENS") === "1") Deno.writeTextFileSync(FILE, text);
  else assert.equal(Deno.readTextFileSync(FILE), text);
});
