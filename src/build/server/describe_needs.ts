/** @module Describes server code that cannot be bundled into one module. Pure. */
import type { NodeNeed, ServerBundle } from "../../runtime/mod.ts";

/** Maximum number of names in one clause. */
const SHOWN = 3;

const KINDS = ["native", "computed", "worker"] as const;

const VERBS: Readonly<Record<NodeNeed["kind"], readonly [one: string, many: string]>> = {
  native: ["has a native addon", "have native addons"],
  computed: ["imports modules with computed names", "import modules with computed names"],
  worker: ["starts threads from files", "start threads from files"],
};

/** Formats a subject: a package in quotation marks, a file without. */
const show = (subject: string): string => /\.[cm]?js$/.test(subject) ? subject : `"${subject}"`;

function describe(kind: NodeNeed["kind"], subjects: readonly string[]): string {
  const names = subjects.slice(0, SHOWN).map(show);
  if (subjects.length > SHOWN) names.push(`${subjects.length - SHOWN} more`);
  const [one, many] = VERBS[kind];
  if (names.length === 1) return `${names[0]} ${one}`;
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)} ${many}`;
}

/** Returns a clause for each kind of need, such as `"sharp" has a native addon`. */
export function describeNeeds(
  { native, needs }: Pick<ServerBundle, "native" | "needs">,
): readonly string[] {
  const all = [...native.map((subject) => ({ kind: "native" as const, subject })), ...needs];
  return KINDS.flatMap((kind) => {
    const subjects = all.filter((need) => need.kind === kind).map(({ subject }) => subject);
    return subjects.length === 0 ? [] : [describe(kind, subjects)];
  });
}
