interface Props {
  /** What the chart shows, for screen readers too. */
  title: string
  /** What stands beside it. */
  note?: string
  /** From left to right, each with a label of its own. null: a figure that is not exact because it is of fewer than ten people. */
  bars: { label: string; value: number | null; words: string }[]
}

/** Labels that have room side by side: on a wide screen, and on a phone. */
const [LABELS, LABELS_NARROW] = [12, 3]

/** A bar chart. The last bar has the accent and its figure; each says its own as the pointer rests on it, and a table has all. */
export function Bars({ title, note, bars }: Props) {
  const most = niceTop(Math.max(0, ...bars.map(({ value }) => value ?? 0)))
  const [every, everyNarrow] = [LABELS, LABELS_NARROW].map((count) => Math.ceil(bars.length / count))
  /** True for the last bar, and for each so many before it. */
  const hasLabel = (at: number, step = 1) => (bars.length - 1 - at) % step === 0
  return (
    <section className="card chart-card">
      <div className="bar">
        <h2>{title}</h2>
        {note && <span className="small t2">{note}</span>}
      </div>
      <div className="chart" aria-hidden>
        <div className="axis">
          {[most, most / 2, 0].map((value) => (
            <span key={value}>{short(value)}</span>
          ))}
        </div>
        <div className="columns">
          {bars.map(({ label, value, words }, at) => (
            <div key={label} className="column" title={`${label}: ${words}`}>
              <i className={value === null ? 'few' : undefined} style={{ height: `${((value ?? 0) / most) * 100}%` }}>
                {at === bars.length - 1 && <b>{words}</b>}
              </i>
              {hasLabel(at, every) && <span className={hasLabel(at, everyNarrow) ? 'label' : 'label wide'}>{label}</span>}
            </div>
          ))}
        </div>
      </div>
      <details className="more">
        <summary>As a table</summary>
        <table aria-label={title}>
          <tbody>
            {bars.map(({ label, words }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>{words}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  )
}

/** The next 1, 2 or 5 times a power of ten, and at least 2, so that half of it is whole. */
function niceTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(2, most)))
  return [1, 2, 5, 10].map((factor) => factor * power).find((top) => top >= Math.max(2, most)) ?? most
}

const short = (value: number): string => new Intl.NumberFormat('en-US', { notation: 'compact' }).format(value)
