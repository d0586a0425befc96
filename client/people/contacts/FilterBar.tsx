import { ListFilter } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Empty } from '../../ui/Empty.tsx'
import type { Filter } from './listFilter.ts'

const FILTERS: [Filter, words: string][] = [
  ['all', 'All'],
  ['unread', 'Unread'],
  ['verified', 'Verified'],
  ['archived', 'Archived'],
]

const NOBODY: Record<Filter, string> = {
  all: 'No contacts found',
  unread: 'No unread chats',
  verified: 'Nobody is verified yet',
  archived: 'No archived chats',
}

/** Stands in place of the rows. */
export const NoneFiltered = ({ filter }: { filter: Filter }) => <Empty icon={ListFilter} title={NOBODY[filter]} />

/** Stands below the search while the list is filtered. */
export function FilterBar({ filter, onChoose }: { filter: Filter; onChoose: (filter: Filter) => void }) {
  const bar = useRef<HTMLFieldSetElement>(null)
  // The archive's own row is gone once it was pressed.
  useEffect(() => {
    if (document.activeElement === document.body) bar.current?.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus()
  }, [])
  function choose(one: Filter) {
    onChoose(one)
    // The bar goes.
    if (one === 'all') document.querySelector<HTMLElement>('.find .filter')?.focus()
  }
  return (
    <fieldset className="filters" ref={bar}>
      <legend className="sr">Show</legend>
      {FILTERS.map(([one, words]) => (
        <button key={one} type="button" aria-pressed={one === filter} onClick={() => choose(one)}>
          {words}
        </button>
      ))}
    </fieldset>
  )
}
