interface Props {
  /** True on the first page. */
  isNewest: boolean
  hasMore: boolean
  onNewest: () => void
  onOlder: () => void
}

/** The pages of a list that grows at its beginning. */
export function Older({ isNewest, hasMore, onNewest, onOlder }: Props) {
  if (isNewest && !hasMore) return null
  return (
    <nav className="pager" aria-label="Pages">
      <span />
      <span>
        <button type="button" className="btn compact outline" disabled={isNewest} onClick={onNewest}>
          Newest
        </button>
        <button type="button" className="btn compact outline" disabled={!hasMore} onClick={onOlder}>
          Older
        </button>
      </span>
    </nav>
  )
}
