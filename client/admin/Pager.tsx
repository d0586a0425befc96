import { countWords } from './adminWords.ts'

interface Props {
  /** From 1. */
  page: number
  size: number
  total: number
  onPage: (page: number) => void
}

export function Pager({ page, size, total, onPage }: Props) {
  if (total === 0) return null
  const [from, to] = [(page - 1) * size + 1, Math.min(page * size, total)]
  return (
    <nav className="pager" aria-label="Pages">
      <span role="status">
        {from > total
          ? `Nothing here of ${countWords(total)}`
          : `${countWords(from)} to ${countWords(to)} of ${countWords(total)}`}
      </span>
      <span>
        <button type="button" className="btn compact outline" disabled={page === 1} onClick={() => onPage(page - 1)}>
          Previous
        </button>
        <button type="button" className="btn compact outline" disabled={to >= total} onClick={() => onPage(page + 1)}>
          Next
        </button>
      </span>
    </nav>
  )
}
