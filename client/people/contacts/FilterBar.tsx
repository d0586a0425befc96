import { useEffect, useRef } from 'react'
import { FILTER_WORDS, FILTERS, type Filter } from './listFilter.ts'

/** Stands below the search while the list is filtered. */
export function FilterBar({ filter, onChoose }: { filter: Filter; onChoose: (filter: Filter | undefined) => void }) {
  const bar = useRef<HTMLFieldSetElement>(null)
  // The archive's own row is gone once it was pressed.
  useEffect(() => {
    if (document.activeElement === document.body) bar.current?.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus()
  }, [])
  return (
    <fieldset className="filters" ref={bar}>
      <legend className="sr">Show</legend>
      {FILTERS.map((one) => (
        <button key={one} type="button" aria-pressed={one === filter} onClick={() => onChoose(one === 'all' ? undefined : one)}>
          {FILTER_WORDS[one]}
        </button>
      ))}
    </fieldset>
  )
}
