/**
 * The names of PostgreSQL's built-in types by their object ids, which never change.
 *
 * @module
 */

/** Name, id, and the id of its array. */
const TYPES: readonly (readonly [name: string, id: number, arrayId: number])[] = [
  ["bool", 16, 1000],
  ["bytea", 17, 1001],
  ["char", 18, 1002],
  ["name", 19, 1003],
  ["int8", 20, 1016],
  ["int2", 21, 1005],
  ["int2vector", 22, 1006],
  ["int4", 23, 1007],
  ["regproc", 24, 1008],
  ["text", 25, 1009],
  ["oid", 26, 1028],
  ["tid", 27, 1010],
  ["xid", 28, 1011],
  ["cid", 29, 1012],
  ["oidvector", 30, 1013],
  ["json", 114, 199],
  ["xml", 142, 143],
  ["point", 600, 1017],
  ["lseg", 601, 1018],
  ["path", 602, 1019],
  ["box", 603, 1020],
  ["polygon", 604, 1027],
  ["line", 628, 629],
  ["cidr", 650, 651],
  ["float4", 700, 1021],
  ["float8", 701, 1022],
  ["unknown", 705, 0],
  ["circle", 718, 719],
  ["macaddr8", 774, 775],
  ["money", 790, 791],
  ["macaddr", 829, 1040],
  ["inet", 869, 1041],
  ["aclitem", 1033, 1034],
  ["bpchar", 1042, 1014],
  ["varchar", 1043, 1015],
  ["date", 1082, 1182],
  ["time", 1083, 1183],
  ["timestamp", 1114, 1115],
  ["timestamptz", 1184, 1185],
  ["interval", 1186, 1187],
  ["timetz", 1266, 1270],
  ["bit", 1560, 1561],
  ["varbit", 1562, 1563],
  ["numeric", 1700, 1231],
  ["refcursor", 1790, 2201],
  ["regprocedure", 2202, 2207],
  ["regoper", 2203, 2208],
  ["regoperator", 2204, 2209],
  ["regclass", 2205, 2210],
  ["regtype", 2206, 2211],
  ["record", 2249, 2287],
  ["cstring", 2275, 1263],
  ["void", 2278, 0],
  ["uuid", 2950, 2951],
  ["pg_lsn", 3220, 3221],
  ["tsvector", 3614, 3643],
  ["tsquery", 3615, 3645],
  ["regconfig", 3734, 3735],
  ["regdictionary", 3769, 3770],
  ["jsonb", 3802, 3807],
  ["int4range", 3904, 3905],
  ["numrange", 3906, 3907],
  ["tsrange", 3908, 3909],
  ["tstzrange", 3910, 3911],
  ["daterange", 3912, 3913],
  ["int8range", 3926, 3927],
  ["jsonpath", 4072, 4073],
  ["regnamespace", 4089, 4090],
  ["regrole", 4096, 4097],
];

const NAMES: ReadonlyMap<number, string> = new Map(
  TYPES.flatMap(([name, id, arrayId]) => [[id, name], [arrayId, `${name}[]`]] as const),
);

/** The name of a type, such as `int4` or `text[]`; `oid:<n>` where it's not built in. */
export function typeName(id: number): string {
  return (id === 0 ? undefined : NAMES.get(id)) ?? `oid:${id}`;
}
