/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * @module Search results, with a card for each kind. The search overlay also reads these cards.
 */
import { Name } from "./board_pieces.tsx";
import { Card } from "./pieces.tsx";

interface FoundRow {
  readonly href: string;
  readonly title: string;
  readonly detail?: string;
  /** Words in the detail that match the search, in lowercase. Set only if the detail is prose. */
  readonly words?: readonly string[];
}

/** Maximum number of characters in a title or a detail. */
const MAX_TEXT = 160;

export const shorten = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;

/** Shows text and highlights the words that match the search. */
function Marked({ text, words }: { readonly text: string; readonly words: readonly string[] }) {
  return (
    <span class="soft">
      {text.split(/([\p{Z}\p{P}]+)/u).map((part, index) =>
        words.includes(part.toLowerCase()) ? <mark key={index}>{part}</mark> : part
      )}
    </span>
  );
}

function Detail({ title, detail, words }: FoundRow) {
  if (detail === undefined || detail === title) return null;
  if (words !== undefined) return <Marked text={detail} words={words} />;
  return (
    <span class="soft mono">
      <Name text={shorten(detail)} />
    </span>
  );
}

export function Found({ title, id, rows }: {
  readonly title: string;
  readonly id: string;
  readonly rows: readonly FoundRow[];
}) {
  return (
    <Card title={title} id={id}>
      <ol class="rows plain">
        {rows.map((row) => (
          <li key={row.href + row.title}>
            <div class="main">
              <a class="whole" href={row.href}>{shorten(row.title)}</a>
              <Detail {...row} />
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}
