/** A sentence with a person's name, which keeps its own direction. */
export function Named({ words, name }: { words: (name: string) => string; name: string }) {
  const [before = '', ...after] = words(PLACE).split(PLACE)
  return (
    <>
      {before}
      {after.map((rest, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence
        <span key={at}>
          <bdi>{name}</bdi>
          {rest}
        </span>
      ))}
    </>
  )
}

const PLACE = '\ufffc'
