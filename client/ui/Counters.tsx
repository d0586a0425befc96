import './counters.css'

interface Props {
  counters: { name: string; value: string; note?: string }[]
  /** True for amounts, which take two places on a phone. */
  areAmounts?: boolean
}

/** Figures above a list: what it counts, how much, and what of. */
export function Counters({ counters, areAmounts = false }: Props) {
  return (
    <dl className={areAmounts ? 'stats amounts' : 'stats'}>
      {counters.map(({ name, value, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          {note && <dd className="stat-note">{note}</dd>}
        </div>
      ))}
    </dl>
  )
}
