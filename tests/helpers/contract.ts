/**
 * Validates responses against the platform's OpenAPI document. Every test that calls the API must
 * use this module.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { ValidateFunction } from "ajv/dist/2020.js";
import type { openApiDocument } from "../../src/contract/openapi.ts";
import { ajvWithFormats } from "../../src/lib/_test_ajv.ts";
import { operationsOf } from "../../src/contract/openapi/operations_of.ts";

const document = await readDocument();
const operations = operationsOf(document).map((each) => ({
  ...each,
  pattern: new RegExp(`^${each.path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`),
  rank: each.path.replace(/\{\w+\}/g, "\uffff"),
}));

const ajv = ajvWithFormats({ strict: false, validateFormats: true });
// `deno task check` checks the document itself.
ajv.addSchema(document, "api", undefined, false);
const validators = new Map<string, ValidateFunction>();

/**
 * Reads the document, which the test run creates once for all files. If the document is missing,
 * creates it.
 */
async function readDocument() {
  const made = Deno.env.get("API_DOCUMENT");
  if (made !== undefined) return JSON.parse(await Deno.readTextFile(made)) as OpenApiDocument;
  const { openApiDocument } = await import("../../src/contract/openapi.ts");
  return openApiDocument({ version: "0.0.0", serverUrl: "http://localhost" });
}

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

type OpenApiDocument = ReturnType<typeof openApiDocument>;

/** Response headers that the document must list. */
const NAMED_FIELDS = ["ratelimit", "ratelimit-policy", "retry-after", "etag", "set-cookie"];

interface Asked {
  readonly method: string;
  readonly path: string;
}

interface Described {
  readonly where: string;
  readonly node: AnswerNode;
  /** JSON pointer to the response in the document. */
  readonly place: string;
}

/** Returns the document's description of a response; `undefined` for paths outside the API. */
function describe(asked: Asked, status: number, shown: unknown): Described | undefined {
  const { pathname } = new URL(asked.path, "http://localhost");
  const fitting = operations.filter(({ pattern }) => pattern.test(pathname));
  const best = fitting.reduce((rank, each) => each.rank < rank ? each.rank : rank, "\uffff\uffff");
  const found = fitting.find(({ method, rank }) => method === asked.method && rank === best);
  if (found === undefined) return undefined;
  const where = `The response of ${found.operation.operationId} with status ${status}`;
  const own = found.operation.responses[String(status)] as AnswerNode | undefined;
  assert.ok(
    own !== undefined,
    `${where} is not in the document: ${JSON.stringify(shown)}`,
  );
  const shared = own.$ref?.split("/").at(-1);
  if (shared === undefined) {
    const steps = [found.path, found.method.toLowerCase(), "responses", String(status)];
    return { where, node: own, place: pointer("paths", ...steps) };
  }
  const responses = document.components?.responses as Record<string, AnswerNode>;
  return { where, node: responses[shared]!, place: pointer("components", "responses", shared) };
}

function checkFields({ where, node }: Described, headers: Headers): void {
  for (const name of NAMED_FIELDS.filter((each) => headers.has(each))) {
    const names = Object.keys(node.headers ?? {}).map((each) => each.toLowerCase());
    assert.ok(
      names.includes(name),
      `${where} has the header ${name}, which is not in the document`,
    );
  }
}

/** Returns a response's content type, which the document must list. */
function checkType({ where, node }: Described, headers: Headers): string {
  const type = (headers.get("content-type") ?? "").split(";")[0]!;
  assert.ok(type in (node.content ?? {}), `${where} has the content type ${type}`);
  return type;
}

function checkValue({ where, place }: Described, type: string, value: unknown): void {
  const validate = validatorOf(`${place}${pointer("content", type, "schema")}`);
  const fine = validate(value);
  assert.ok(fine, `${where} with ${JSON.stringify(value)}: ${ajv.errorsText(validate.errors)}`);
}

/** Throws if the document does not describe a response. Paths outside the API pass. */
export function checkAnswer(
  asked: Asked,
  answer: { readonly status: number; readonly headers: Headers; readonly json: unknown },
): void {
  const described = describe(asked, answer.status, answer.json);
  if (described === undefined) return;
  checkFields(described, answer.headers);
  if (described.node.content === undefined) {
    assert.equal(answer.json, undefined, `${described.where} has a body`);
    return;
  }
  const type = checkType(described, answer.headers);
  if (type === "application/json") checkValue(described, type, answer.json);
}

/** Headers that every stream must have and that the document must list. */
const STREAM_FIELDS = ["x-svc-request-id"];

/**
 * Requests a stream of events or bytes, and checks the response's status, type and headers. The
 * caller must check the content. Error responses are checked completely.
 */
export async function fetchStream(url: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const asked = { method: init?.method ?? "GET", path: url };
  const { status, headers } = response;
  if (status >= 400) {
    checkAnswer(asked, { status, headers, json: await response.clone().json() });
    return response;
  }
  const described = describe(asked, status, undefined);
  assert.ok(described !== undefined, `The document does not contain ${url}`);
  checkFields(described, headers);
  checkType(described, headers);
  const named = Object.keys(described.node.headers ?? {}).map((name) => name.toLowerCase());
  for (const name of STREAM_FIELDS) {
    const isThere = headers.has(name) && named.includes(name);
    assert.ok(isThere, `${described.where} lacks ${name}`);
  }
  return response;
}

/** Checks an event's data in a requested stream. */
export function checkEvent(path: string, data: unknown): void {
  const described = describe({ method: "GET", path }, 200, data);
  assert.ok(described !== undefined, `The document does not contain ${path}`);
  checkValue(described, "text/event-stream", data);
}
