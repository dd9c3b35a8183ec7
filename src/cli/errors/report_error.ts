/**
 * @module Maps any thrown error to the JSON error object, the human-readable text, and the exit
 *   code.
 */
import { CommanderError } from "@commander-js/extra-typings";
import { ApiError, ContractError, NoAnswerError, UnreachableError } from "../../client/errors.ts";
import type { Problem } from "../../contract/common.ts";
import type { Palette } from "../terminal/color.ts";
import { printable } from "../terminal/format.ts";
import { renderDiagnostic } from "../../lib/diagnostic.ts";
import { EXIT } from "../exit_code.ts";
import { CliError, type FileDiagnostics } from "./cli_error.ts";
import { toFlagProblems } from "./flag_problems.ts";
import type { SuggestedCommands } from "./suggested_commands.ts";

interface ErrorReport {
  readonly message: string;
  readonly code: string;
  readonly exitCode: number;
  readonly hint?: string;
  readonly next?: readonly string[];
  readonly problems?: readonly Problem[];
  readonly found?: FileDiagnostics;
  readonly excerpt?: readonly string[];
  readonly requestId?: string;
  readonly retryAfterMs?: number;
  readonly details?: Readonly<Record<string, unknown>>;
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Matches the value after `=` in an error about an unknown flag. The value may be a secret. */
const VALUE_OF_UNKNOWN = /^(unknown option '[^=']*)=.*?'(?=\n\(|$)/s;
/** Matches surplus words in an error. These words may be secrets too. */
const SURPLUS_WORDS = /^(too many arguments for .*? but got \d+):.*$/s;

/** Returns the usage of a command, or a hint about where to find it. */
function howToUse({ code }: CommanderError, usage: string | undefined): string {
  if (usage === undefined) return "Run the command with --help to see its arguments and flags";
  const words = usage.replace(/ [[<].*/, "");
  if (usage.includes(" <command>")) return `${words} --help lists the commands`;
  return code === "commander.invalidArgument"
    ? `${words} --help shows its arguments and flags`
    : `Usage: \`${usage}\`. See --help`;
}

/** Commander writes `error: unknown option '--x'`, then its suggestion in brackets. */
function describeUsage(error: CommanderError, usage: string | undefined): ErrorReport {
  const text = error.message.replace(/^error: /, "").replace(VALUE_OF_UNKNOWN, "$1'")
    .replace(SURPLUS_WORDS, "$1");
  const [first = "", ...rest] = text.split("\n");
  const hint = rest.join(" ").replace(/^\((.*)\)$/, "$1").trim();
  return {
    message: capitalized(first.replace(/\.$/, "")),
    code: "usage",
    exitCode: EXIT.usage,
    hint: hint === "" ? howToUse(error, usage) : hint,
  };
}

/** Information about the run for describing an error. */
interface ErrorFacts {
  readonly apiUrl: string;
  /** Missing if the command line could not be read. */
  readonly lines?: SuggestedCommands | undefined;
  /** Names of the command's arguments. */
  readonly args: readonly string[];
  /** The usage, such as `svc db create [flags]`. Missing until a command is found. */
  readonly usage?: string | undefined;
}

const WORKSPACE_FIELD = "header.x-workspace";

/** Describes the error for a key that was used in another workspace. */
function describeWrongWorkspace(error: ApiError, lines: SuggestedCommands | undefined) {
  const problem = error.problems.find(({ path }) => path === WORKSPACE_FIELD);
  if (problem === undefined || lines === undefined) return undefined;
  const wanted = /, not "([^"]+)"/.exec(error.message)?.[1];
  return {
    hint: "Log in to that workspace, or use --workspace with the key's workspace",
    next: [
      ...(wanted === undefined ? [] : [lines.of("login", "--workspace", wanted)]),
      lines.of("workspace", "list"),
    ],
  };
}

/** Describes the error for a value on the command line that the platform rejected. */
function describeWrongValue(error: ApiError, { lines, args }: ErrorFacts): ErrorReport | undefined {
  if (error.code !== "invalid_request" || lines === undefined) return undefined;
  const problems = toFlagProblems(error.problems, { flags: lines.flags, args });
  if (problems === undefined) return undefined;
  const named = problems.filter(({ path }) => path.startsWith("-") || path.startsWith("<"));
  const [first] = named;
  const more = named.length > 1 ? ` (and ${named.length - 1} more)` : "";
  const { message } = first!;
  const reason = message.charAt(0).toLowerCase() + message.slice(1);
  return {
    message: `Invalid ${first!.path}: ${reason}${more}`,
    code: "usage",
    exitCode: EXIT.usage,
    problems,
    requestId: error.requestId,
  };
}

function describeApiError(error: ApiError, facts: ErrorFacts): ErrorReport {
  const { apiUrl, lines } = facts;
  const wrongValue = describeWrongValue(error, facts);
  if (wrongValue !== undefined) return wrongValue;
  const base = {
    message: error.message,
    code: error.code ?? "internal",
    exitCode: EXIT.failure,
    ...(error.problems.length === 0 ? {} : { problems: error.problems }),
    requestId: error.requestId,
    hint: error.hint,
    retryAfterMs: error.retryAfter,
  };
  if (error.status === 401) {
    return {
      ...base,
      code: "unauthorized",
      hint: `Log in again, or set SVC_TOKEN to a valid key for ${apiUrl}`,
      next: lines && [lines.of("login")],
    };
  }
  const wrongWorkspace = describeWrongWorkspace(error, lines);
  if (wrongWorkspace !== undefined) return { ...base, ...wrongWorkspace };
  return error.code === "blob_mismatch"
    ? { ...base, hint: "A file changed during the deploy: run the command again" }
    : base;
}

/** Converts anything thrown into a report. Unknown errors are reported as `internal`. */
export function describeError(error: unknown, facts: ErrorFacts): ErrorReport {
  const { apiUrl } = facts;
  if (error instanceof CliError) {
    const { hint, next, found, excerpt, details } = error.facts;
    return {
      message: error.message,
      code: error.code,
      exitCode: error.exitCode,
      hint,
      next,
      found,
      excerpt,
      details,
    };
  }
  if (error instanceof CommanderError) return describeUsage(error, facts.usage);
  if (error instanceof ApiError) return describeApiError(error, facts);
  if (error instanceof UnreachableError) {
    // The CLI's fetch threw the error, for example because of a certificate file.
    if (error.cause instanceof CliError) return describeError(error.cause, facts);
    return {
      message: error.message,
      code: "unreachable",
      exitCode: EXIT.failure,
      hint: error.certificate?.hint ??
        (error instanceof NoAnswerError
          ? "The platform accepts connections but does not respond. Check its log and load"
          : "Start the platform with `svc serve`, or set a different URL with --api-url or SVC_API_URL"),
    };
  }
  if (error instanceof ContractError) {
    return {
      message: error.message,
      code: "contract",
      exitCode: EXIT.failure,
      hint: `Check that ${apiUrl} is an svc platform of the same version as this CLI`,
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { message, code: "internal", exitCode: EXIT.failure };
}

/** Returns the JSON error object, in which `error` contains the message. */
export function toJsonError(report: ErrorReport): Record<string, unknown> {
  const { message, code, hint, next, problems, found, requestId, retryAfterMs } = report;
  return {
    error: message,
    code,
    ...(hint === undefined ? {} : { hint }),
    ...(next === undefined ? {} : { next }),
    docs: `svc explain ${code}`,
    ...(problems === undefined ? {} : { problems }),
    ...(found === undefined ? {} : { file: found.file, diagnostics: found.diagnostics }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...report.details,
  };
}

/** Formats the error as human-readable text on several lines, without a final newline. */
export function toHumanError(report: ErrorReport, colors: Palette): string {
  const lines = [`${colors.red(colors.bold("error:"))} ${printable(report.message)}`];
  const { found } = report;
  lines.push(...report.excerpt?.map(printable) ?? []);
  for (const diagnostic of found?.diagnostics ?? []) {
    lines.push(printable(renderDiagnostic(diagnostic, found!)));
  }
  const said = report.message.toLowerCase();
  const shown = report.problems?.filter(({ message }) => !said.includes(message.toLowerCase()));
  for (const problem of shown ?? []) {
    const text = problem.path === "" ? problem.message : `${problem.path}: ${problem.message}`;
    lines.push(`  ${printable(text)}`);
  }
  if (report.hint !== undefined) lines.push(`${colors.cyan("hint:")} ${printable(report.hint)}`);
  if (report.next !== undefined && report.next.length > 0) {
    const lead = report.next.length === 1 ? "Run:" : "Run one of:";
    lines.push(lead, ...report.next.map((command) => `  ${colors.bold(command)}`));
  }
  if (report.requestId !== undefined) lines.push(colors.dim(`request ${report.requestId}`));
  return lines.join("\n");
}
