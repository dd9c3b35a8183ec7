/**
 * @module The manual page `docs/svc.1`, generated from the commands: roff with the macros of
 * man(7).
 */
import { SECTIONS } from "./command/command_entry.ts";
import {
  type ArgumentDescription,
  type CommandDescription,
  describeCommands,
  describeGlobalFlags,
  type FlagDescription,
} from "./describe_commands.ts";

/** Characters that roff interprets, or displays as another character. */
const ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\e",
  "-": "\\-",
  "'": "\\(aq",
  "^": "\\(ha",
  "~": "\\(ti",
};

const escapeOf = (character: string): string =>
  ESCAPES[character] ??
    `\\[u${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`;

/**
 * Escapes text for roff, so that no character starts a request or an escape sequence. Code between
 * backticks is bold.
 */
export function roffText(text: string): string {
  const escaped = text.replaceAll(/\s*\n\s*/g, " ").replaceAll(/[\\'^~-]|[^ -~]/gu, escapeOf);
  const marked = escaped.replaceAll(/`([^`]+)`/g, "\\fB$1\\fR");
  return marked.startsWith(".") ? `\\&${marked}` : marked;
}

/** Formats a heading or another argument of a macro. */
const quoted = (text: string): string => `"${roffText(text).replaceAll('"', "\\(dq")}"`;

const bold = (text: string): string => `\\fB${roffText(text)}\\fR`;

/** Formats a `.TP` paragraph: a tag, and indented text below it. */
const tagged = (tag: string, text: string): string[] => [".TP", tag, roffText(text)];

const shown = (value: unknown): string =>
  value === null || value === "" ? "" : ` (default: ${value})`;

const argumentText = ({ name, required, variadic }: ArgumentDescription): string => {
  const dots = variadic ? "..." : "";
  return required ? `<${name}>${dots}` : `[${name}${dots}]`;
};

function flagLines({ flag, choices, meaning, default: usual }: FlagDescription): string[] {
  const values = choices === null ? "" : `: ${choices.join(", ")}`;
  return tagged(bold(flag), `${meaning}${values}${shown(usual)}`);
}

function commandLines(described: CommandDescription): string[] {
  const { command, summary, description, examples, flags } = described;
  const inputs = described.arguments;
  const synopsis = [command, ...inputs.map(argumentText), ...flags.length > 0 ? ["[flags]"] : []];
  return [
    `.SS ${quoted(synopsis.join(" "))}`,
    roffText(`${summary}.${description === null ? "" : ` ${description}`}`),
    ...inputs.flatMap((input) =>
      tagged(bold(argumentText(input)), `${input.meaning}${shown(input.default)}`)
    ),
    ...flags.flatMap(flagLines),
    ".PP",
    ".nf",
    ...examples.flatMap(({ line, meaning }) => [roffText(`# ${meaning}`), roffText(line)]),
    ".fi",
  ];
}

/** Renders the commands, under the headings that help uses. */
function overview(commands: readonly CommandDescription[]): string[] {
  return SECTIONS.flatMap((section) => {
    const found = commands.filter((each) => each.section === section);
    return [
      `.SS ${quoted(section)}`,
      ...found.flatMap(({ command, summary }) => tagged(bold(command), summary)),
    ];
  });
}

const EXIT_CODES = [
  ["0", "Success."],
  ["1", "Failure, or you declined a confirmation. With --json, `error` contains the reason."],
  ["2", "Wrong usage: an unknown command or flag, or an invalid value."],
  ["130", "Interrupted."],
] as const;

const FILES = [
  ["svc.toml", "Project settings."],
  ["svc.rules.toml", "Edge rules."],
  ["~/.config/svc/credentials.json", "Logins stored by `svc login`."],
  ["~/.local/share/svc", "Data of `svc serve`, unless --data-dir is set."],
] as const;

/** Renders all of `docs/svc.1`. */
export async function renderManual(): Promise<string> {
  const commands = await describeCommands();
  return [
    '.\\" Generated from the commands by UPDATE_GOLDENS=1 deno test -A src/cli/manual_test.ts',
    '.TH SVC 1 "" "svc" "User Commands"',
    ".SH NAME",
    "svc \\- deploy sites and servers to a hosting platform, or be that platform",
    ".SH SYNOPSIS",
    "\\fBsvc\\fR \\fIcommand\\fR [\\fIarguments\\fR] [\\fIflags\\fR]",
    ".SH DESCRIPTION",
    roffText(
      "svc is the CLI of a hosting platform, the platform itself (`svc serve`), and its edge. Every command prints JSON with --json. `svc <command> --help` shows this text for one command.",
    ),
    ".SH GLOBAL FLAGS",
    "You can put these before or after the command.",
    ...describeGlobalFlags().flatMap(flagLines),
    ".SH OVERVIEW",
    ...overview(commands),
    ".SH COMMANDS",
    ...commands.flatMap(commandLines),
    ".SH EXIT STATUS",
    ...EXIT_CODES.flatMap(([code, text]) => tagged(bold(code), text)),
    ".SH FILES",
    ...FILES.flatMap(([file, text]) => tagged(`\\fI${roffText(file)}\\fR`, text)),
    ".SH SEE ALSO",
    roffText(
      "`svc explain` explains error codes. The platform serves its documentation at /docs.",
    ),
    "",
  ].join("\n");
}
