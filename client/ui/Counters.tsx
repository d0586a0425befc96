import './counters.css'

interface Props {
  counters: { name: string; value: string; note?: string }[]
}

/** Figures above a list: what it counts, how much, and what of. */
export function Counters({ counters }: Props) {
  return (
    <dl className="stats">
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
