/** Maximum length of a search query in the documentation. */
export const MAX_DOCS_QUERY = 100;
