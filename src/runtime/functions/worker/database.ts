/** @module A function's `context.database`: statements that the platform runs. */

/** Sends a statement. The host of the URL does not matter. */
type FetchDatabase = (url: URL, init: RequestInit) => Promise<Response>;

interface Column {
  readonly name: string;
  readonly type: string;
}

interface Answer {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly (string | null)[])[];
  readonly command: string | null;
}

interface Refusal {
  readonly error: string;
  readonly sqlState: string;
  readonly detail?: string | null;
}

const PLACE = new URL("http://database/query");
const NUMBERS: ReadonlySet<string> = new Set(["int2", "int4", "oid", "float4", "float8"]);
const JSON_TYPES: ReadonlySet<string> = new Set(["json", "jsonb"]);

/** Converts a value to the text that PostgreSQL reads. */
function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${value.toHex()}`;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Converts a PostgreSQL value. A number that JavaScript cannot represent exactly remains text. */
function fromText(text: string | null, type: string): unknown {
  if (text === null) return null;
  if (NUMBERS.has(type)) return Number(text);
  if (type === "bool") return text === "t";
  return JSON_TYPES.has(type) ? JSON.parse(text) : text;
}

/** An error for a statement that PostgreSQL rejected. */
class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  constructor(
    message: string,
    /** The code has five characters, as in PostgreSQL's list of error codes. */
    readonly code: string,
    readonly detail: string | null,
  ) {
    super(message);
  }
}

class FunctionDatabase {
  readonly #fetch: FetchDatabase;

  constructor(fetch: FetchDatabase) {
    this.#fetch = fetch;
  }

  async query(text: string, params: readonly unknown[] = []) {
    const response = await this.#fetch(PLACE, {
      method: "POST",
      body: JSON.stringify({ text, params: params.map(toText) }),
    });
    const answer: Answer | Refusal = await response.json();
    if ("error" in answer) {
      throw new DatabaseError(answer.error, answer.sqlState, answer.detail ?? null);
    }
    const { columns, command } = answer;
    const rows = answer.rows.map((row) =>
      Object.fromEntries(columns.map(({ name, type }, at) => [name, fromText(row[at]!, type)]))
    );
    return { rows, command };
  }
}

/** Creates `context.database`, which all calls of a worker share. */
export function createFunctionDatabase(fetch: FetchDatabase): object {
  return Object.freeze(new FunctionDatabase(fetch));
}
