/** @module Converts problems with request fields to problems with command-line flags. Pure. */
import type { Problem } from "../../contract/common.ts";

/** The parts of the command line that set request fields. */
interface GivenInput {
  /** Long names of the flags that were given. */
  readonly flags: readonly string[];
  /** Names of the command's arguments. */
  readonly args: readonly string[];
}

const FIELD = /^(body|query|path)\.([A-Za-z]\w*)(?:\.([\w.]+))?/;

const kebab = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Returns the flag or argument that set a field, or `undefined` if none did. */
function inputOf(path: string, { flags, args }: GivenInput): string | undefined {
  const [, place, field, inner] = FIELD.exec(path) ?? [];
  if (field === undefined) return undefined;
  const name = kebab(field);
  const flag = [`--${name}`, `--${name}-id`].find((long) => flags.includes(long));
  if (flag !== undefined) return inner === undefined ? flag : `${flag} ${inner}`;
  const names = [
    name,
    `${name}_id`,
    `${name}-id`,
    ...(place === "path" ? ["id", "name-or-id"] : []),
  ];
  const argument = names.find((each) => args.includes(each));
  return argument === undefined ? undefined : `<${argument}>`;
}

/**
 * Returns the problems, each with the flag or argument that caused it. Returns `undefined` if no
 * flag or argument caused any of them.
 */
export function toFlagProblems(
  problems: readonly Problem[],
  given: GivenInput,
): readonly Problem[] | undefined {
  const named = problems.map((problem) => {
    const path = inputOf(problem.path, given);
    return path === undefined ? problem : { ...problem, path };
  });
  return named.some((problem, index) => problem !== problems[index]) ? named : undefined;
}
