/**
 * @module Command lines that the CLI suggests. Each command can be run as printed: it acts on the
 * same platform, workspace and project as this run, and repeats the flags of this run except those
 * that it must change. Possible secrets are never repeated.
 */
import { printable } from "../../lib/format.ts";

/** A flag as the parser represents it. */
export interface KnownFlag {
  readonly long?: string | undefined;
  readonly short?: string | undefined;
  /** True if the flag takes a value. */
  readonly takesValue: boolean;
}

/**
 * Flags, keyed by their long names. A flag is set to a value or to `true`, or left out
 * (`undefined`). Flags in {@link TARGET_FLAGS} must be left out.
 */
type FlagChanges = Readonly<Record<string, string | true | undefined>>;

export interface SuggestedCommands {
  /** Returns `svc <words>`, for the same platform and workspace as this run. */
  of(...words: readonly string[]): string;
  /** Like `of`, but also for the same project. */
  ofProject(...words: readonly string[]): string;
  /** Long names of the flags in this run. */
  readonly flags: readonly string[];
  /** Returns the command line of this run with these flags changed. */
  again(changes?: FlagChanges): string;
  /** Like `again`, but as a list of words without the leading `svc`, for programs. */
  wordsAgain(changes?: FlagChanges): readonly string[];
}

/** Flags that every command has. They determine where and how a command acts. */
const SHARED_FLAGS: readonly string[] = ["--workspace", "--api-url", "--cwd", "--json"];
/** Like {@link SHARED_FLAGS}, for commands on one project. */
const PROJECT_FLAGS: readonly string[] = ["--project-id", ...SHARED_FLAGS];

/**
 * Flags that select the target of a command. A suggestion never chooses a target, because it could
 * change something that the user did not name.
 */
const TARGET_FLAGS: ReadonlySet<string> = new Set([
  "--project-id",
  "--workspace",
  "--environment",
  "--all",
  "--prod",
  "--database",
  "--branch",
  "--deployment-id",
  "--to",
]);

/** Flags whose values may be secrets. */
const SECRET_FLAGS: ReadonlySet<string> = new Set(["--token", "--url"]);

/** Quotes a word for a POSIX shell if necessary. */
export function shellWord(text: string): string {
  const shown = printable(text);
  return /^[\w./:=@%+,-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}

interface Word {
  /** Long name of the flag, or `undefined` for an argument. */
  readonly flag?: string;
  readonly words: readonly string[];
}

const nameOf = (word: string): string => word.split("=", 1)[0]!;

/** Splits a command line into arguments and flags with their values, up to a `--`. */
function readWords(argv: readonly string[], flags: readonly KnownFlag[]): Word[] {
  const read: Word[] = [];
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index]!;
    if (!word.startsWith("-") || word === "-") {
      read.push({ words: [word] });
      continue;
    }
    const name = nameOf(word);
    const known = flags.find(({ long, short }) => long === name || short === name);
    const hasNext = known?.takesValue === true && !word.includes("=") && index + 1 < argv.length;
    const words = hasNext ? [word, argv[++index]!] : [word];
    read.push({ flag: known?.long ?? name, words });
  }
  return read;
}

const withoutSecrets = (words: readonly Word[]): Word[] =>
  words.filter(({ flag }) => flag === undefined || !SECRET_FLAGS.has(flag));

function assertSameTarget(changes: FlagChanges): void {
  for (const [flag, value] of Object.entries(changes)) {
    if (value !== undefined && TARGET_FLAGS.has(flag)) {
      throw new TypeError(`Cannot suggest a command with a different ${flag} than the user's`);
    }
  }
}

const lineOf = (words: readonly string[]): string => ["svc", ...words.map(shellWord)].join(" ");

/** Creates the suggestions for one run from the words after `svc`. */
export function createSuggestedCommands(
  argv: readonly string[],
  flags: readonly KnownFlag[],
): SuggestedCommands {
  const end = argv.indexOf("--");
  const read = withoutSecrets(readWords(end === -1 ? argv : argv.slice(0, end), flags));
  const rest = end === -1 ? [] : argv.slice(end);
  const withFlags = (words: readonly string[], names: readonly string[]): string => {
    const kept = read.filter(({ flag }) =>
      flag !== undefined && names.includes(flag) && !words.includes(flag)
    );
    return lineOf([...words, ...kept.flatMap((word) => word.words)]);
  };
  const wordsAgain = (changes: FlagChanges = {}): readonly string[] => {
    assertSameTarget(changes);
    const kept = read.filter(({ flag }) => flag === undefined || !Object.hasOwn(changes, flag));
    const set = Object.entries(changes).flatMap(([flag, value]) =>
      value === undefined ? [] : value === true ? [flag] : [flag, value]
    );
    return [...kept.flatMap((word) => word.words), ...set, ...rest];
  };
  return {
    flags: read.flatMap(({ flag }) => flag === undefined ? [] : [flag]),
    of: (...words) => withFlags(words, SHARED_FLAGS),
    ofProject: (...words) => withFlags(words, PROJECT_FLAGS),
    again: (changes) => lineOf(wordsAgain(changes)),
    wordsAgain,
  };
}
