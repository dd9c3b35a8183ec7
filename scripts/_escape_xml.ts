const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Escapes text for XML content and attributes. */
export const escapeXml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
