/**
 * Keeps foreign word order and private words out of what the program says.
 *
 * @module
 */
import type { TextFile } from "./check_lengths.ts";

/** Words to avoid, each with what a native writer would use. */
export const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bof its own\b/i, "its own"],
  [/\bof (?:their|one's) own\b/i, "their own"],
  [/\bof now\b/i, "current"],
  [/\b(?:is|are|was|were) made\b/i, "is created"],
  [/\bbeing made\b/i, "being created"],
  [/\bin place of\b/i, "instead of"],
  [/\bas a whole\b/i, "the whole …"],
  [/\btaken back\b/i, "rolled back, withdrawn"],
  [/\bhad back\b/i, "restored"],
  [/\bthat follow\b/i, "next"],
  [/\bnever may\b/i, "can never"],
  [/\b(?:does|do|did) not answer\b/i, "does not respond"],
  [/\banswered with\b/i, "responded with"],
  [/\banew\b/i, "again"],
  [/\bmend\b/i, "fix"],
  [/\bsomebody\b/i, "someone"],
  [/\bmeanwhile\b/i, "say what happened, or leave it out"],
  [/\bthe tool\b/i, "the CLI"],
  [/\bGive (?:an?|the|one|at least|at most|another) /, "Use, Set, Pass or Must be …"],
  [/\bto find it out\b/i, "to detect it"],
  [/\bthe way of\b/i, "traffic, route"],
  [/\bthis once\b/i, "only once"],
];

/** Texts that keep a word, each with the reason. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ["src/documents/contents.ts", "titles of the documentation, which is rewritten apart"],
  ["src/documents/read_library.ts", "titles of the documentation, which is rewritten apart"],
]);

const LITERAL = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;
/** Text between the tags of JSX. */
const JSX_TEXT = /^\s*[A-Z][^<>{}=;()]* [^<>{}=;()]*$/gm;
const COMMENTS = /\/\*[^]*?\*\/|^\s*\/\/.*$/gm;

const blank = (text: string): string => text.replace(/[^\n]/g, " ");
const lineOf = (text: string, index: number): number => text.slice(0, index).split("\n").length;

/** Finds words to avoid in the literals of the program, its tests left out. */
export function findWords(files: readonly TextFile[]): string[] {
  return files
    .filter(({ path }) => /^src\/.*\.tsx?$/.test(path) && !EXCEPTIONS.has(path))
    .filter(({ path }) => !/(?:^|\/)_|_(?:test|bench)\.tsx?$/.test(path))
    .flatMap(({ path, text }) => {
      const code = text.replace(COMMENTS, blank);
      const texts = [
        ...code.matchAll(LITERAL),
        ...(path.endsWith(".tsx") ? code.matchAll(JSX_TEXT) : []),
      ];
      return texts.filter(([said]) => said.includes(" ")).flatMap(({ 0: said, index }) =>
        WORDS.filter(([word]) => word.test(said)).map(([word, better]) =>
          `${path}:${lineOf(text, index)}: "${word.exec(said)![0]}": write "${better}"`
        )
      );
    });
}
