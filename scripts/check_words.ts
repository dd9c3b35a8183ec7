/**
 * Keeps foreign word order and private words out of everything that people read: the program's
 * messages, its documentation, and comments.
 *
 * @module
 */
import type { TextFile } from "./check_lengths.ts";

type Words = readonly (readonly [RegExp, string])[];

/** Words to avoid everywhere, each with the words that a native writer would use. */
const WORDS: Words = [
  // "Pages of its own deployment" is usual English.
  [/\bof (?:its|their|one's) own\b(?! [a-z])/i, "its own …"],
  [/\bof now\b/i, "current"],
  // "Made of parts" and "made up of" are usual English.
  [/\b(?:is|are|was|were) made\b(?! (?:from|of|to|up)\b)/i, "is created"],
  [/\bbeing made\b/i, "being created"],
  [/\bin place of\b/i, "instead of"],
  [/\bas a whole\b(?! [a-z])/i, "the whole …"],
  [/\btaken back\b/i, "rolled back, withdrawn"],
  [/\bhad back\b/i, "restored"],
  [/\bthat follow(?=[,.:;]| go\b|$)/i, "next"],
  [/\bnever may\b/i, "can never"],
  [/\b(?:does|do|did) not answer\b/i, "does not respond"],
  [/\banswered with\b/i, "responded with"],
  [/\banew\b/i, "again"],
  [/\bsomebody\b/i, "someone"],
  [/\bthe tool\b/i, "the CLI"],
  [/\bto find it out\b/i, "to detect it"],
  [/\bthe way of\b/i, "traffic, route"],
  [/\bthis once\b/i, "only once"],
  // A variable with this name is not prose.
  [/(?<!\$\{)\bbeside\b/i, "next to, in addition to"],
  [/\bforeign code\b/i, "project code"],
  [/\blook-ups?\b/i, "lookup"],
  [/\bmidst\b/i, "middle"],
  [/\bagain and again\b/i, "repeatedly"],
  [/\bwhatever the\b/i, "regardless of, for every"],
  [/\b(?:is|are|was|were) to be\b/i, "must be, will be"],
  [/\bin their order\b/i, "in order"],
  [/\bhears? of\b/i, "receives, is notified of"],
  [/\bany more(?=[,.:;)]| \*\/|$)/i, "no longer, any longer"],
  [/\bcan not\b/i, "cannot"],
  [/\breasons? of\b/i, "reason for"],
  [/\bwithout end\b/i, "endlessly"],
  [/\b(?<!ends )that (?:runs?|waits?)(?=[,.;])/i, "running, waiting"],
  [/\bat (?:least|most)(?=[,.;)])/i, "before the number"],
  // The first word of a comment about a limit.
  [
    /(?<=^\/\*\*\s*)(?:Longest|Largest|Shortest|Fewest|Least)\b(?! (?:first|recently))/,
    "Maximum, Minimum …",
  ],
];

/**
 * Words that only the program's own messages must avoid; comments and guides may use them to
 * explain.
 */
const SPOKEN_WORDS: Words = [
  ...WORDS,
  [/\bof (?:its|their|one's) own\b/i, "its own …"],
  [/\bmend\b/i, "fix"],
  [/\bmeanwhile\b/i, "say what happened, or leave it out"],
  [/\bGive (?:an?|the|one|at least|at most|another) /, "Use, Set, Pass or Must be …"],
];

/** Files that are exempt, each with the reason. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ["scripts/check_words.ts", "lists the words"],
  ["scripts/check_words_test.ts", "lists the words"],
]);

const LITERAL = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;
/** Text between the tags of JSX. */
const JSX_TEXT = /^\s*[A-Z][^<>{}=;()]* [^<>{}=;()]*$/gm;
/** Block comments, and groups of consecutive line comments. */
const COMMENTS = /\/\*[^]*?\*\/|^[ \t]*\/\/.*$(?:\n[ \t]*\/\/.*$)*/gm;
/** Code in Markdown: blocks and spans. */
const MARKDOWN_CODE = /^```[^]*?^```|`[^`\n]+`/gm;

const blank = (text: string): string => text.replace(/[^\n]/g, " ");
const lineOf = (text: string, index: number): number => text.slice(0, index).split("\n").length;

/** Finds words in `said`, the text at `index` in `file`. A line break counts as a space. */
function findIn(
  { path, text }: TextFile,
  { said, index, words }: { readonly said: string; readonly index: number; readonly words: Words },
): string[] {
  const flat = said.replace(/\s*\n\s*(?:\*(?!\/)|\/\/)?\s*/g, " ");
  return words.flatMap(([word, better]) => {
    const found = word.exec(flat);
    if (found === null) return [];
    // Line breaks are spaces in `flat`, so the match is located by its words.
    const broken = new RegExp(found[0].replaceAll(" ", "\\s+(?:(?:\\*|//)\\s*)?"));
    const line = lineOf(text, index + Math.max(said.search(broken), 0));
    return `${path}:${line}: "${found[0]}": write "${better}"`;
  });
}

function findSpoken(file: TextFile): string[] {
  if (!/^src\/.*\.tsx?$/.test(file.path)) return [];
  if (/(?:^|\/)_|_(?:test|bench)\.tsx?$/.test(file.path)) return [];
  const code = file.text.replace(COMMENTS, blank);
  const texts = [
    ...code.matchAll(LITERAL),
    ...(file.path.endsWith(".tsx") ? code.matchAll(JSX_TEXT) : []),
  ];
  return texts.filter(([said]) => said.includes(" "))
    .flatMap(({ 0: said, index }) => findIn(file, { said, index, words: SPOKEN_WORDS }));
}

function findInComments(file: TextFile): string[] {
  if (!/\.tsx?$/.test(file.path)) return [];
  return [...file.text.matchAll(COMMENTS)]
    .flatMap(({ 0: said, index }) => findIn(file, { said, index, words: WORDS }));
}

function findInDocument(file: TextFile): string[] {
  if (!file.path.endsWith(".md")) return [];
  const prose = file.text.replace(MARKDOWN_CODE, blank);
  return [...prose.matchAll(/(?:.+\n?)+/g)]
    .flatMap(({ 0: said, index }) => findIn(file, { said, index, words: WORDS }));
}

/** Finds words to avoid in the program's literals, in comments and in documents. */
export function findWords(files: readonly TextFile[]): string[] {
  return files.filter(({ path }) => !EXCEPTIONS.has(path))
    .flatMap((file) => [...findSpoken(file), ...findInComments(file), ...findInDocument(file)]);
}
