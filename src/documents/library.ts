/** @module The published documents. */
import { CONTENTS, type Entry, INTERNALS, SCHEMAS } from "./contents.ts";
import { placeOf } from "./places.ts";

export interface Document extends Entry {
  readonly title: string;
  /** Markdown text in which links to unpublished files are plain text. */
  readonly text: string;
}

/** A line that names the generator of a file, for developers. */
const GENERATED_FROM = /^<!-- Generated from .* -->\n\n?/m;
const LINK = /(!?)\[((?:`[^`]*`|[^\][`])*)\]\(([^)\s]+)\)/g;
const FENCE = /^```.*\n[^]*?^```$/gm;

function withoutDeadLinks(text: string): string {
  return text.replace(LINK, (link, image: string, label: string, target: string) => {
    if (image !== "") return label;
    return placeOf(target) === undefined ? label : link;
  });
}

/** Applies a change to the text outside of fenced code blocks. */
function outsideFences(text: string, change: (prose: string) => string): string {
  let done = "";
  let end = 0;
  for (const { 0: fence, index } of text.matchAll(FENCE)) {
    done += change(text.slice(end, index)) + fence;
    end = index + fence.length;
  }
  return done + change(text.slice(end));
}

function describe(entry: Entry, source: string): Document {
  const text = outsideFences(source.replace(GENERATED_FROM, ""), withoutDeadLinks);
  return { ...entry, text, title: /^# (.+)$/m.exec(text)?.[1] ?? entry.name };
}

export class Library {
  readonly documents: ReadonlyMap<string, Document>;
  readonly schemas: ReadonlyMap<string, string>;

  /** @param files contents by their paths below `docs` */
  constructor(files: Readonly<Record<string, string>>) {
    const entries = CONTENTS.flatMap((section) => section.entries);
    this.documents = new Map(
      entries.map((entry) => [entry.name, describe(entry, files[`${entry.name}.md`]!)]),
    );
    this.schemas = new Map(Object.keys(SCHEMAS).map((name) => [name, files[`schema/${name}`]!]));
  }

  /**
   * Returns the list of all documents as llms.txt. In this format, the section that can be skipped
   * is called "Optional".
   */
  index(origin: string): string {
    const sections = CONTENTS.map(({ title, entries }) => {
      const lines = entries.map(({ name, about }) => {
        const document = this.documents.get(name)!;
        return `- [${document.title}](${origin}/docs/${name}.md): ${about}\n`;
      });
      const schemas = title !== "Reference" ? [] : [
        `- [OpenAPI](${origin}/v1/openapi.json): Every endpoint of the HTTP API, as OpenAPI 3.1\n`,
        ...Object.entries(SCHEMAS).map(([name, about]) =>
          `- [${name}](${origin}/docs/schema/${name}): ${about}\n`
        ),
      ];
      return `## ${title === INTERNALS ? "Optional" : title}\n\n${[...lines, ...schemas].join("")}`;
    });
    return `# svc\n\n> ${SUMMARY}\n\n${DETAILS.join("\n")}\n\n${sections.join("\n")}`;
  }

  /** Returns all documents except the internals as a single string. */
  whole(): string {
    const texts = CONTENTS.filter(({ title }) => title !== INTERNALS)
      .flatMap(({ entries }) =>
        entries.map(({ name }) => this.documents.get(name)!.text.trimEnd())
      );
    return `${texts.join("\n\n")}\n`;
  }
}

const SUMMARY = "svc is a hosting platform and its command-line tool in one program: it builds, " +
  "deploys and serves sites, functions and servers, behind an edge with rules and a cache.";

const DETAILS = [
  "- Add `--json` to a command to get one JSON object on stdout.",
  "- `svc --help --json` describes all commands.",
  "- `svc explain <code>` explains an error code and how to fix it.",
  "- `svc mcp` serves tools over the Model Context Protocol; so does `/mcp` of this platform.",
];
