/**
 * The part of highlight.js that is used. Its own types load those of browsers, which conflict with
 * Deno's.
 */
declare const highlighter: {
  registerLanguage(name: string, language: unknown): void;
  highlight(
    code: string,
    options: { readonly language: string; readonly ignoreIllegals?: boolean },
  ): { readonly value: string };
};
export default highlighter;
