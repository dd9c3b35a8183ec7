/**
 * The part of highlight.js that we use. The types in the highlight.js package load browser types,
 * which conflict with Deno's types.
 */
declare const highlighter: {
  registerLanguage(name: string, language: unknown): void;
  highlight(
    code: string,
    options: { readonly language: string; readonly ignoreIllegals?: boolean },
  ): { readonly value: string };
};
export default highlighter;
