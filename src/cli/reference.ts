/**
 * The reference of the command line, `docs/cli.md`, made from the commands
 * themselves.
 *
 * @module
 */
import {
  type CommandDescription,
  describeCommands,
  describeGlobalFlags,
  type FlagDescription,
} from "./describe_commands.ts";
import { PHASES } from "./terminal/ui.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [
    `| ${headings.join(" | ")} |`,
    `| ${headings.map(() => "---").join(" | ")} |`,
    ...rows.map((row) => `| ${row.map(cell).join(" | ")} |`),
  ];
}

const shownDefault = (given: unknown): string => given === null ? "" : `\`${given}\``;

const flagRow = ({ flag, choices, meaning, default: usual }: FlagDescription): string[] => [
  `\`${flag}\``,
  choices === null ? meaning : `${meaning}: ${choices.map((choice) => `\`${choice}\``).join(", ")}`,
  shownDefault(usual),
];

/** Arguments and flags, those under a heading of help in a table of their heading. */
function inputTables({ arguments: inputs, flags }: CommandDescription): string[] {
  return [...new Set([null, ...flags.map(({ group }) => group)])].flatMap((heading) => {
    const rows = [
      ...(heading === null ? inputs : []).map((input) => [
        `\`${input.required ? `<${input.name}>` : `[${input.name}]`}\``,
        input.meaning,
        shownDefault(input.default),
      ]),
      ...flags.filter(({ group }) => group === heading).map(flagRow),
    ];
    if (rows.length === 0) return [];
    const lines = table(["Argument or flag", "Meaning", "Default"], rows);
    return [...heading === null ? [] : [`**${heading}**`, ""], ...lines, ""];
  });
}

function renderCommand(described: CommandDescription): string[] {
  const { command, summary, description, examples, answers } = described;
  return [
    `### \`${command}\``,
    "",
    `${summary}.${description === null ? "" : ` ${description}`}`,
    "",
    ...inputTables(described),
    ...(answers === null ? [] : [`With \`--json\`: \`${answers}\``, ""]),
    "```sh",
    ...examples.map(({ line, meaning }) => `${line}  # ${meaning}`),
    "```",
    "",
  ];
}

const LINES_OF_A_LOG = [
  ["`s`", "target stream", "`user`, `debug`"],
  ["`p`", "phase", PHASES.map((phase) => `\`${phase}\``).join(", ")],
  ["`l`", "level", "`info`, `warn`, `error`"],
  ["`m`", "message", "text"],
];

const EXIT_CODES = [
  ["0", "success"],
  ["1", "failure, or a person said no; in JSON mode `error` says why"],
  ["2", "wrong usage: an unknown command or flag, or a bad value"],
  ["126, 127", "`svc env exec` cannot run the program, or does not find it"],
  ["130", "interrupted"],
];

function introduction(): string[] {
  return [
    "# The command line",
    "",
    "<!-- Made from the commands by `UPDATE_GOLDENS=1 deno test -A src/cli/reference_test.ts`. -->",
    "",
    "## Global flags",
    "",
    "These may stand before or after the command. A flag takes precedence over its variable, and a",
    "variable over the credentials file (`~/.config/svc/credentials.json`).",
    "",
    ...table(
      ["Flag", "Meaning"],
      describeGlobalFlags().map(({ flag, meaning }) => [`\`${flag}\``, meaning]),
    ),
    "",
    "## Which workspace counts",
    "",
    "All commands follow one rule. The first of these that is set counts:",
    "",
    "1. `--workspace`",
    "2. `SVC_WORKSPACE`",
    "3. `project.workspace` in the `svc.toml` that the command is about: that of the folder it is",
    "   given, else the nearest at or above the current one",
    "4. the workspace of the key, where `--token` or `SVC_TOKEN` gives one; else the default that",
    "   `svc login` and `svc workspace switch` set",
    "",
    "A key or login is bound to one workspace. In another it is refused, and the error suggests what",
    "to do. `svc whoami` shows the workspace, and `workspaceSource` shows where it comes from.",
    "",
    "## Output",
    "",
    "For people, messages go to stderr, and data that one would pipe goes to stdout. Colours depend on",
    "`NO_COLOR`, `FORCE_COLOR`, `CLICOLOR` and on whether the stream is a terminal.",
    "",
    "With `--json`, stdout has exactly one object; `svc --help --json` describes every command as data,",
    "and `svc schema <command>` shows the JSON Schema of its object. Log lines go to stderr, one object each:",
    "",
    ...table(["Key", "Meaning", "Values"], LINES_OF_A_LOG),
    "",
    "Streams have no end and print one object per line instead: `svc logs --follow --json` and",
    "`svc notifications watch --json`.",
    "",
    "## Names as argument or flag",
    "",
    "Where a command takes a name, database or URL as its one argument, `--name`, `--database` or",
    "`--url` gives it as well. Where `create` takes `--name`, an argument gives it as well:",
    "`svc projects create blog` is `svc projects create --name blog`.",
    "",
    "## Errors and exit codes",
    "",
    ...table(["Exit code", "Meaning"], EXIT_CODES),
    "",
    "The error object has `error` (a sentence), `code`, `hint` (what helps: of the code where there is",
    "nothing nearer) and `docs` (the command that explains the code), and where they apply `next` (commands that would solve the problem), `problems`,",
    "`diagnostics`, `requestId` and `retryAfterMs`. The result of a command that succeeded never has the key `error`. Each command in",
    "`next` can be run as printed: it repeats the flags that were given, quoted for a shell, except",
    "what may be a secret (`--token` is left out). It changes nothing that the failed command did not",
    "name: a project, workspace, environment or database that you may have meant is in `hint`. If the platform refuses",
    "a value from the command line, the error names the flag or argument, and the exit code is 2. If a",
    "question would have to be answered and nobody can be asked, `code` is `action_required`.",
    "[errors.md](errors.md) says what each code means; codes of the platform are passed on unchanged.",
    "",
    "## Interrupting",
    "",
    "Ctrl-C (SIGINT) or SIGTERM ends a command with exit code 130; in JSON mode the error object has",
    "the code `interrupted`. `svc deploy` first stops its deployment on the platform. If that was",
    "already live, the error says so, `deployment` describes it, and `next` undoes it. A call that",
    "changes something gets 3 s more for its answer, and the command shows it as usual. The error",
    "names each change that the platform has carried out, or may have, and `next` shows the state. A",
    "second Ctrl-C ends the program at once; the error says that nothing was cleaned up. If the tool is killed, the platform",
    "closes its deployment after 5 minutes without an upload; files that have arrived are kept for a",
    "day and are not sent again.",
    "",
    "## Private certificate authorities",
    "",
    "The tool trusts the certificates that public authorities issue, and those of the authorities in",
    "the PEM files that `DENO_CERT`, `NODE_EXTRA_CA_CERTS` and `SSL_CERT_FILE` name. A file that cannot",
    "be read, or holds no certificate, is an error with the first https request. `svc serve` trusts",
    "what `--upstream-ca` and `--acme-ca` name.",
    "",
    "## Commands",
    "",
  ];
}

/** The whole of `docs/cli.md`. */
export async function renderReference(): Promise<string> {
  const commands = await describeCommands();
  const overview = commands.map(({ command, summary }) => [
    `[\`${command}\`](#${command.replaceAll(" ", "-")})`,
    summary,
  ]);
  const details = commands.flatMap(renderCommand);
  return [...introduction(), ...table(["Command", "Purpose"], overview), "", ...details]
    .join("\n").trimEnd() + "\n";
}
