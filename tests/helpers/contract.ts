/**
 * Holds the answers of a platform against its OpenAPI document: every test
 * that calls the API checks what it is answered.
 *
 * @module
 */
import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { openApiDocument, operationsOf } from "../../src/contract/openapi.ts";

const document = openApiDocument({ version: "0.0.0", serverUrl: "http://localhost" });
const operations = operationsOf(document).map((each) => ({
  ...each,
  pattern: new RegExp(`^${each.path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`),
  rank: each.path.replace(/\{\w+\}/g, "\uffff"),
}));

const ajv = new Ajv2020({ strict: false, validateFormats: true });
// deno-lint-ignore no-explicit-any -- a CommonJS module, typed as its namespace
(addFormats as any)(ajv);
ajv.addSchema(document, "api");
const validators = new Map<string, ValidateFunction>();

const pointer = (...steps: readonly string[]): string =>
  steps.map((step) => `/${encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))}`)
    .join("");

function validatorOf(place: string): ValidateFunction {
  const known = validators.get(place);
  if (known !== undefined) return known;
  const made = ajv.compile({ $ref: `api#${place}` });
  validators.set(place, made);
  return made;
}

interface AnswerNode {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, unknown>>;
}

/** Fields of answers that the document has to name. */
const NAMED_FIELDS = ["ratelimit", "ratelimit-policy", "retry-after", "etag", "set-cookie"];

/** Fails for an answer that the document does not describe; other paths than its own pass. */
export function checkAnswer(
  asked: { readonly method: string; readonly path: string },
  answer: { readonly status: number; readonly headers: Headers; readonly json: unknown },
): void {
  const { pathname } = new URL(asked.path, "http://localhost");
  const fitting = operations.filter(({ pattern }) => pattern.test(pathname));
  const best = fitting.reduce((rank, each) => each.rank < rank ? each.rank : rank, "\uffff\uffff");
  const found = fitting.find(({ method, rank }) => method === asked.method && rank === best);
  if (found === undefined) return;
  const status = String(answer.status);
  const where = `${found.operation.operationId} answers ${status}`;
  const at = ["paths", found.path, found.method.toLowerCase(), "responses", status];
  const own = found.operation.responses[status] as AnswerNode | undefined;
  assert.ok(
    own !== undefined,
    `${where}, which the document does not name: ` +
      JSON.stringify(answer.json),
  );
  const shared = own.$ref?.split("/").at(-1);
  const node = shared === undefined
    ? own
    : (document.components?.responses as Record<string, AnswerNode>)[shared]!;
  const place = shared === undefined ? pointer(...at) : pointer("components", "responses", shared);
  for (const name of NAMED_FIELDS.filter((each) => answer.headers.has(each))) {
    const names = Object.keys(node.headers ?? {}).map((each) => each.toLowerCase());
    assert.ok(names.includes(name), `${where} with ${name}, which the document does not name`);
  }
  if (node.content === undefined) {
    assert.equal(answer.json, undefined, `${where} with a body`);
    return;
  }
  const type = (answer.headers.get("content-type") ?? "").split(";")[0]!;
  assert.ok(type in node.content, `${where} as ${type}`);
  if (type !== "application/json") return;
  const validate = validatorOf(`${place}${pointer("content", type, "schema")}`);
  const fine = validate(answer.json);
  assert.ok(
    fine,
    `${where} with ${JSON.stringify(answer.json)}: ${ajv.errorsText(validate.errors)}`,
  );
}
