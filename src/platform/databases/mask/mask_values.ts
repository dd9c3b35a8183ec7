/** SQL that computes masked values. Pure. @module */
import type { Fake } from "../../../lib/database_previews.ts";

const FIRST_NAMES =
  "Ada Alan Amara Anders Bea Chen Dana Elif Emil Farah Finn Grace Hana Ines Ivan Jonas Kofi Lena Luca Maya Noor Olga Pablo Quinn Rosa Sami Tara Uma Vera Yusuf Zoe Nils"
    .split(" ");
const LAST_NAMES =
  "Abbott Bauer Costa Duarte Eriksen Fischer Garcia Haddad Ivanova Jensen Kowalski Lund Moreau Nakamura Okafor Petrov Quist Rossi Santos Tanaka Ueda Varga Weber Xu Yilmaz Zeller Novak Ortiz Peeters Meyer Khan Silva"
    .split(" ");
const STREETS =
  "Alder Birch Cedar Dogwood Elm Fir Ginkgo Hazel Ivy Juniper Larch Maple Oak Pine Rowan Willow"
    .split(" ");
const CITIES =
  "Ashford Brookfield Clearwater Dunmore Eastville Fairview Glenwood Hillcrest Kingsport Lakeside Milton Northfield Oakdale Riverton Springfield Westbrook"
    .split(" ");
const COMPANIES =
  "Acme Borealis Cobalt Delta Ember Fathom Granite Harbor Indigo Juniper Keystone Lumen Meridian Nimbus Orchard Pinnacle"
    .split(" ");
const FORMS = ["GmbH", "Inc", "Ltd", "SA", "AB", "BV", "LLC", "Oy"];
const WORDS =
  "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna aliqua ";

const TEXT_TYPES: readonly string[] = ["text", "varchar", "bpchar", "citext", "name"];

export interface MaskedColumn {
  readonly name: string;
  /** The name of the column's base type in `pg_type`. */
  readonly type: string;
  /** Maximum number of characters; `null` if unlimited. */
  readonly maximum: number | null;
  readonly notNull: boolean;
  /** Whether PostgreSQL computes the column's values. */
  readonly generated: boolean;
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * Returns SQL that makes a whole number from 28 bits of the hash `h`, starting at the given
 * hexadecimal digit.
 */
const numberAt = (digit: number): string => `('x' || substr(h, ${digit}, 7))::bit(28)::int`;

const pick = (list: readonly string[], digit: number): string =>
  `(ARRAY['${list.join("','")}'])[1 + ${numberAt(digit)} % ${list.length}]`;

const FAKES: Readonly<Record<Fake, string>> = {
  name: `${pick(FIRST_NAMES, 1)} || ' ' || ${pick(LAST_NAMES, 9)}`,
  email: `'user-' || left(h, 16) || '@example.com'`,
  phone: `'+1555' || lpad((${numberAt(1)} % 10000000)::text, 7, '0')`,
  address: [`(1 + ${numberAt(1)} % 199)`, pick(STREETS, 9), "'Street,'", pick(CITIES, 17)]
    .join(" || ' ' || "),
  company: [pick(COMPANIES, 1), pick(LAST_NAMES, 9), pick(FORMS, 17)].join(" || ' ' || "),
  text: `left(repeat('${WORDS}', 1 + length(v) / ${WORDS.length}), length(v))`,
};

/** HMAC-SHA256 (RFC 2104) of a value, with the padded keys in `$1` and `$2`. */
const HASH = "encode(sha256($2::bytea || sha256($1::bytea || convert_to(v, 'UTF8'))), 'hex')";

/**
 * Returns SQL that converts the hash `h` to the column's type; `undefined` if the type cannot
 * contain a hash.
 */
function hashFor({ type, maximum }: MaskedColumn): string | undefined {
  if (TEXT_TYPES.includes(type)) return maximum === null ? "h" : `left(h, ${maximum})`;
  switch (type) {
    case "uuid":
      return "left(h, 32)::uuid";
    case "int8":
      return "('x' || left(h, 15))::bit(60)::bigint";
    case "int4":
      return "(('x' || left(h, 8))::bit(32)::bigint & 2147483647)::int";
    default:
      return undefined;
  }
}

/** A column's new value, or why its mask does not fit; `undefined` if the value does not change. */
type MaskedValue =
  | { readonly sql: string; readonly usesKey: boolean }
  | { readonly problem: string }
  | undefined;

/** Masks a column by a rule: `null`, `hash`, `keep` or `fake:<type>`. */
export function maskedValue(column: MaskedColumn, rule: string): MaskedValue {
  if (rule === "keep") return undefined;
  if (column.generated) return { problem: "PostgreSQL generates the column: leave out its mask" };
  if (rule === "null") {
    return column.notNull
      ? { problem: "The column is NOT NULL: use hash or a fake value" }
      : { sql: "NULL", usesKey: false };
  }
  const isText = TEXT_TYPES.includes(column.type);
  let value = rule === "hash" ? hashFor(column) : undefined;
  if (rule !== "hash" && isText) {
    const fake = FAKES[rule.slice("fake:".length) as Fake];
    value = column.maximum === null ? fake : `left(${fake}, ${column.maximum})`;
  }
  if (value === undefined) {
    const fitting = rule === "hash" ? "text, uuid, integer and bigint" : "text";
    return {
      problem: `${rule} works only on columns of type ${fitting}, but this one is ` +
        `${column.type}`,
    };
  }
  const hashed = `SELECT v, ${HASH} AS h FROM (SELECT ${quoted(column.name)}::text AS v) AS o`;
  return { sql: `(SELECT ${value} FROM (${hashed}) AS k)`, usesKey: true };
}
