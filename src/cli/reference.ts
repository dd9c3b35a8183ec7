/** @module Generates `docs/cli.md` and the page of each group from the commands. */
import {
  type CommandDescription,
  describeCommands,
  describeGlobalFlags,
  type FlagDescription,
} from "./describe_commands.ts";
import { PHASES } from "./terminal/ui.ts";
import { CLI_PAGES, type CliPage } from "../documents/cli_pages.ts";

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

/**
 * Renders tables of arguments and flags. Flags with a heading in help get a table under that
 * heading.
 */
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

/** Formats field lists and flags as code, and the words between them as text. */
const markFields = (answers: string): string => answers.replace(/\{.*?\}|--[a-z-]+/g, "`$&`");

function renderCommand(described: CommandDescription): string[] {
  const { command, summary, description, examples, answers } = described;
  return [
    `## \`${command}\``,
    "",
    `${summary}.${description === null ? "" : ` ${description}`}`,
    "",
    ...inputTables(described),
    ...(answers === null ? [] : [`With \`--json\`: ${markFields(answers)}`, ""]),
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
  ["1", "failure, or you answered no; in JSON mode `error` says why"],
  ["2", "wrong usage: an unknown command or flag, or an invalid value"],
  ["126, 127", "`svc env exec` cannot run the program, or cannot find it"],
  ["130", "interrupted"],
];

const ERROR_KEYS = [
  ["`error`", "a sentence"],
  ["`code`", "an [error code](errors.md)"],
  ["`hint`", "how to fix it"],
  ["`docs`", "the command that explains the code"],
  ["`next`", "commands that would solve the problem, if there are any"],
  ["`problems`", "the invalid fields"],
  ["`diagnostics`", "the errors in files, with their positions"],
  ["`requestId`", "the ID of the request in the platform's log"],
  ["`retryAfterMs`", "how long to wait before you try again"],
];

/** A comment that readers of the rendered page do not see. */
const GENERATED_FROM =
  "<!-- Generated from the commands by `UPDATE_GOLDENS=1 deno test -A src/cli/reference_test.ts`. -->";

function introduction(): string[] {
  return [
    "# CLI",
    "",
    GENERATED_FROM,
    "",
    "Run `svc <command> --help` for the flags and examples of a command. The pages below contain the",
    "same information.",
    "",
    "## Global flags",
    "",
    "You can put these flags before or after the command. A flag overrides its environment variable,",
    "and a variable overrides the credentials file (`~/.config/svc/credentials.json`).",
    "",
    ...table(
      ["Flag", "Meaning"],
      describeGlobalFlags().map(({ flag, meaning }) => [`\`${flag}\``, meaning]),
    ),
    "",
    "## Workspace",
    "",
    "The CLI uses the first of these that is set:",
    "",
    "1. `--workspace`",
    "2. `SVC_WORKSPACE`",
    "3. `project.workspace` in the nearest `svc.toml`, starting at the folder that you pass to the",
    "   command, or at the current folder",
    "4. the workspace of your key (`--token` or `SVC_TOKEN`), or the default that `svc login` and",
    "   `svc workspace switch` set",
    "",
    "A key or login belongs to one workspace. The platform refuses it in any other workspace, and the error",
    "suggests a fix. `svc whoami` shows the current workspace. Its `workspaceSource` says which of the",
    "four set it.",
    "",
    "## Output",
    "",
    "Messages go to stderr. Data that you may want to pipe goes to stdout. Colors depend on",
    "`NO_COLOR`, `FORCE_COLOR`, `CLICOLOR` and on whether the stream is a terminal.",
    "",
    "With `--json`, stdout contains exactly one object. `svc --help --json` describes every command as",
    "data, and `svc schema <command>` shows the JSON Schema of its object. Log lines go to stderr, one",
    "object each:",
    "",
    ...table(["Key", "Meaning", "Values"], LINES_OF_A_LOG),
    "",
    "Two commands stream and print one object per line: `svc logs --follow --json` and",
    "`svc notifications watch --json`.",
    "",
    "## Names as arguments or flags",
    "",
    "If a command takes one name, database or URL as its argument, you can also use `--name`,",
    "`--database` or `--url`. If `create` takes `--name`, you can also pass the name as an argument:",
    "`svc projects create blog` is the same as `svc projects create --name blog`.",
    "",
    "## Errors and exit codes",
    "",
    ...table(["Exit code", "Meaning"], EXIT_CODES),
    "",
    "The error object of `--json` has these keys:",
    "",
    ...table(["Key", "Meaning"], ERROR_KEYS),
    "",
    "- A result never has the key `error`.",
    "- You can run each command in `next` as printed. It repeats your flags, quoted for a shell. It",
    "  leaves out `--token`, which may be a secret. It changes nothing that the failed command did not",
    "  name: if you may have meant another project, workspace, environment or database, `hint` names it.",
    "- If the platform refuses a value from the command line, the error names the flag or argument, and",
    "  the exit code is 2.",
    "- If a question needs an answer and there is no terminal, `code` is `action_required`.",
    "- [Error codes](errors.md) explains each code. The CLI passes on the platform's codes unchanged.",
    "",
    "## Interrupting",
    "",
    "Ctrl-C (SIGINT) or SIGTERM stops a command with exit code 130. In JSON mode, the error has the code",
    "`interrupted`.",
    "",
    "- `svc deploy` first stops its deployment on the platform. If the deployment is already live, the",
    "  error says so, `deployment` describes it and `next` undoes it.",
    "- A request that changes something gets 3 more seconds to finish. The command then shows its result.",
    "- The error names each change that the platform has made, or may have made. The commands in `next`",
    "  show the current state.",
    "- A second Ctrl-C stops the program immediately, without cleaning up.",
    "- If the CLI is killed, the platform closes its deployment after 5 minutes without an upload.",
    "  Uploaded files are kept for a day and are not sent again.",
    "",
    "## Private certificate authorities",
    "",
    "The CLI trusts public authorities and those in the PEM files that `DENO_CERT`,",
    "`NODE_EXTRA_CA_CERTS` and `SSL_CERT_FILE` name. If a file cannot be read or has no certificate, the",
    "first HTTPS request fails. `svc serve` trusts the files given with `--upstream-ca` and",
    "`--acme-ca`.",
    "",
    "## Commands",
    "",
  ];
}

const anchorOf = ({ command }: CommandDescription): string => command.replaceAll(" ", "-");

const belongsTo = ({ commands }: CliPage) => ({ command }: CommandDescription): boolean =>
  commands.includes(command.split(" ")[1]!);

function overviewOf(page: CliPage, commands: readonly CommandDescription[]): string[] {
  const rows = commands.filter(belongsTo(page)).map((described) => [
    `[\`${described.command}\`](${page.name}.md#${anchorOf(described)})`,
    described.summary,
  ]);
  return [
    `### ${page.title.replace("CLI: ", "").replace(/^./, (first) => first.toUpperCase())}`,
    "",
    ...table(["Command", "Purpose"], rows),
    "",
  ];
}

function renderPage(page: CliPage, commands: readonly CommandDescription[]): string[] {
  return [
    `# ${page.title}`,
    "",
    GENERATED_FROM,
    "",
    "[Global flags, output and exit codes](cli.md) apply to every command.",
    "",
    ...commands.filter(belongsTo(page)).flatMap(renderCommand),
  ];
}

const textOf = (lines: readonly string[]): string => `${lines.join("\n").trimEnd()}\n`;

/** Renders all pages of the reference, keyed by their names in `docs`. */
export async function renderReference(): Promise<ReadonlyMap<string, string>> {
  const commands = await describeCommands();
  const overview = CLI_PAGES.flatMap((page) => overviewOf(page, commands));
  return new Map([
    ["cli", textOf([...introduction(), ...overview])],
    ...CLI_PAGES.map((page) => [page.name, textOf(renderPage(page, commands))] as const),
  ]);
}
