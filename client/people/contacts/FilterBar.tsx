import { FILTER_WORDS, FILTERS, type Filter } from './listFilter.ts'

/** Stands below the search while the list is filtered. */
export function FilterBar({ filter, onChoose }: { filter: Filter; onChoose: (filter: Filter | undefined) => void }) {
  return (
    <fieldset className="filters">
      <legend className="sr">Show</legend>
      {FILTERS.map((one) => (
        <button key={one} type="button" aria-pressed={one === filter} onClick={() => onChoose(one === 'all' ? undefined : one)}>
          {FILTER_WORDS[one]}
        </button>
      ))}
    </fieldset>
  )
}
