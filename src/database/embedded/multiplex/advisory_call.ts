/**
 * @module Recognizes statements that only take one advisory lock, and finds the lock's key. Clients
 * share one session in the backend, which would grant a lock twice, so conflicts between clients
 * are decided here.
 */
import { bindParameters, type Message } from "./messages.ts";

export interface AdvisoryCall {
  /** Whether the call returns immediately, even if it did not get the lock. */
  readonly tries: boolean;
  /** Name of the column in the call's result. */
  readonly column: string;
  readonly args: readonly string[];
}

const ARGUMENT = String.raw`(-?\d+|\$\d+|[a-z_]\w*\s*\(\s*(?:'[^'\\]*'|\$\d+)` +
  String.raw`(?:\s*::\s*\w+)?(?:\s*,\s*-?\d+)?\s*\))` +
  String.raw`(?:\s*::\s*(?:bigint|int8|integer|int4|int))?`;

const CALL = new RegExp(
  String.raw`^\s*select\s+(?:pg_catalog\s*\.\s*)?` +
    String.raw`(pg_(try_)?advisory_(?:xact_)?lock(?:_shared)?)` +
    String.raw`\s*\(\s*${ARGUMENT}\s*(?:,\s*${ARGUMENT}\s*)?\)` +
    String.raw`\s*(?:(?:as\s+)?("(?:[^"]|"")+"|[a-z_]\w*))?\s*;?\s*$`,
  "i",
);

const named = (alias: string): string =>
  alias.startsWith('"') ? alias.slice(1, -1).replaceAll('""', '"') : alias.toLowerCase();

/** Parses a statement. Returns `undefined` if it does, or might do, anything else. */
export function advisoryCall(text: string): AdvisoryCall | undefined {
  const found = CALL.exec(text);
  if (found === null) return undefined;
  const [, name = "", tries, first = "", second, alias] = found;
  return {
    tries: tries !== undefined,
    column: alias === undefined ? name.toLowerCase() : named(alias),
    args: second === undefined ? [first] : [first, second],
  };
}

/** Returns the key of a lock as `pg_locks` shows it. */
function lockKey(args: readonly bigint[]): string {
  const [first = 0n, second] = args;
  if (second !== undefined) {
    return `${BigInt.asUintN(32, first)},${BigInt.asUintN(32, second)},2`;
  }
  const key = BigInt.asUintN(64, first);
  return `${key >> 32n},${key & 0xffffffffn},1`;
}

/** Returns the arguments that make a function take the lock with a given key. */
export function lockArguments(key: string): string {
  const [high = "0", low = "0", form] = key.split(",");
  if (form === "2") return [high, low].map((part) => BigInt.asIntN(32, BigInt(part))).join(", ");
  return `'${BigInt.asIntN(64, BigInt(high) << 32n | BigInt(low))}'::bigint`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Computes an expression. Returns `undefined` if the backend cannot compute it now. */
export type Compute = (expression: string) => string | null | undefined;

/**
 * Returns the key of a call's lock, or `undefined` if unknown.
 *
 * @param bind the message with the values of its parameters, if it has arrived
 */
export function keyOf(
  { args }: AdvisoryCall,
  bind: Message | undefined,
  compute: Compute,
): string | undefined {
  const values = bind === undefined ? [] : bindParameters(bind);
  const numbers: bigint[] = [];
  for (const arg of args) {
    let isKnown = true;
    const text = arg.replace(/\$(\d+)/, (_, place) => {
      const value = values[Number(place) - 1];
      if (value === undefined || value === null) isKnown = false;
      else if (typeof value === "bigint") return String(value);
      else return arg.startsWith("$") ? value : quoted(value);
      return "";
    });
    if (!isKnown) return undefined;
    const number = /^\s*-?\d+\s*$/.test(text) ? text.trim() : compute(text);
    if (number === undefined || number === null) return undefined;
    numbers.push(BigInt(number));
  }
  return lockKey(numbers);
}
