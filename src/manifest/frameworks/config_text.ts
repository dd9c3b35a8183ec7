/** @module Extracts settings from the text of a config file without running it. */

/** Maximum length of a config file, in characters. */
const MAX_CONFIG_LENGTH = 256 * 1024;

const STRING_OR_COMMENT =
  /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[^])*`|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/g;

/** Removes comments from JavaScript, TypeScript or JSON. Strings stay unchanged. */
export function stripComments(text: string): string {
  return text.slice(0, MAX_CONFIG_LENGTH).replace(
    STRING_OR_COMMENT,
    (match) => match.startsWith("/") ? " " : match,
  );
}

/** Returns the first string that a property is set to, as in `outDir: "./public"`. */
export function textProperty(config: string, name: string): string | undefined {
  const pattern = new RegExp(
    `(?<![\\w$.])["']?${name}["']?\\s*:\\s*(["'\`])([^"'\`\\n$]{1,256})\\1`,
  );
  return pattern.exec(config)?.[2];
}

/** Returns whether a property is present at all. */
export function hasProperty(config: string, name: string): boolean {
  return new RegExp(`(?<![\\w$.])["']?${name}["']?\\s*[:(,]`).test(config);
}

/** Returns whether a property is set to the given bare word, such as `true`. */
export function hasWord(config: string, name: string, word: string): boolean {
  return new RegExp(`(?<![\\w$.])["']?${name}["']?\\s*:\\s*${word}\\b`).test(config);
}
