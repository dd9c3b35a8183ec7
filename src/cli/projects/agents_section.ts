/**
 * The section of `AGENTS.md` that shows an agent how a project is hosted. Pure.
 *
 * @module
 */

const BEGIN = "<!-- svc: begin (made by `svc init --agents`, which writes it anew) -->";
const END = "<!-- svc: end -->";

/** A section of this or another version, from its own beginning: a mark may have lost its other. */
const SECTION = /<!-- svc: begin(?:(?!<!-- svc: begin)[^])*?<!-- svc: end -->/;

/** Facts for the section. */
export interface AgentsFacts {
  readonly name: string;
  readonly buildCommand: string | undefined;
  readonly devCommand: string | undefined;
}

/** The section with its marks, without a line break at the end. */
export function renderAgentsSection({ name, buildCommand, devCommand }: AgentsFacts): string {
  const build = buildCommand === undefined ? "builds the output" : `runs \`${buildCommand}\``;
  const dev = devCommand === undefined ? "serves the folder" : `runs \`${devCommand}\``;
  return `${BEGIN}

## Hosting

The project \`${name}\` is hosted by svc; \`svc.toml\` holds its settings, \`svc.rules.toml\` the rules of
its edge where there is one. Every command takes \`--json\`: one object on stdout; a failure is
\`{ error, code, hint, next, docs }\` with exit code 1.

- \`svc dev\` ${dev} behind the edge; \`svc build\` ${build}; \`svc preview\` serves the output.
- \`svc rules check\` and \`svc rules explain GET /path\` before rules change.
- \`svc deploy --json\` makes a preview with an address of its own; \`svc deploy --prod --json\` goes
  live; \`svc rollback --json\` makes what was live before live again.
- \`svc logs --level error --json\` shows what failed; \`svc explain <code>\` what a code means.
- Never print the value of a variable: \`svc env set <key> --secret --from-file <path>\`.
- \`svc --help --json\` describes every command, \`svc schema <command>\` its answer; \`svc mcp\`
  serves tools.

${END}`;
}

/** The text of the file with the section in it: in place of an earlier one, else at the end. */
export function withAgentsSection(text: string, section: string): string {
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const written = section.replaceAll("\n", lineEnd);
  if (SECTION.test(text)) return text.replace(SECTION, () => written);
  const before = text.trimEnd();
  const gap = before === "" ? "" : lineEnd.repeat(2);
  return `${before}${gap}${written}${lineEnd}`;
}
