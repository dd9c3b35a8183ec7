/**
 * The runtime's upper limit: `Deno.serve` with responses from a file, looked up by the requested
 * path.
 *
 * @module
 */
import type { BareAnswer } from "./_bare.ts";

const [port, file] = Deno.args;
const answers: readonly BareAnswer[] = JSON.parse(Deno.readTextFileSync(file!));
// A list of pairs takes less time than a `Headers` object, and a string less time than its bytes.
const byPath = new Map(answers.map(({ path, status, fields, text }) => {
  const headers = fields.map(([name, value]): [string, string] => [name, value]);
  return [path, { text, init: { status, headers } }];
}));

Deno.serve({ hostname: "127.0.0.1", port: Number(port) }, (request) => {
  const { url } = request;
  const answer = byPath.get(url.slice(url.indexOf("/", "http://".length)));
  return answer === undefined
    ? new Response(null, { status: 404 })
    : new Response(answer.text, answer.init);
});
