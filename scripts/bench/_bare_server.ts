/**
 * What the runtime can do at most: `Deno.serve` with one answer to everything,
 * read from a file.
 *
 * @module
 */
import type { BareAnswer } from "./_bare.ts";

const [port, file] = Deno.args;
const { status, fields, text }: BareAnswer = JSON.parse(Deno.readTextFileSync(file!));
// A list of pairs costs less than a Headers object, and a string less than its bytes.
const headers = fields.map(([name, value]): [string, string] => [name, value]);

Deno.serve(
  { hostname: "127.0.0.1", port: Number(port) },
  () => new Response(text, { status, headers }),
);
