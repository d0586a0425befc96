/** The words as a numbered list, because their order matters. */
export function KitWords({ words }: { words: readonly string[] }) {
  return (
    <ol className="kit-words" aria-label="Words of the kit">
      {words.map((word, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a word may stand in a kit twice, and its place never changes
        <li key={at}>
          <span className="num">{at + 1}</span>
          <span className="mono">{word}</span>
        </li>
      ))}
    </ol>
  )
}
