interface Props {
  /** What the chart shows, for screen readers too. */
  title: string
  /** What stands below it. */
  note?: string
  /** From left to right. null: a figure that is not exact because it is of fewer than ten people. */
  bars: { label: string; value: number | null; words: string }[]
}

const [WIDTH, HEIGHT, TOP, LEFT] = [1100, 230, 18, 52]

/** A bar chart. The last bar has the accent and its figure; each says its own as the pointer rests on it, and a table has all. */
export function Bars({ title, note, bars }: Props) {
  const most = niceTop(Math.max(0, ...bars.map(({ value }) => value ?? 0)))
  const step = (WIDTH - LEFT) / Math.max(1, bars.length)
  const every = Math.ceil(bars.length / 12)
  const bottom = HEIGHT - 28
  const yOf = (value: number) => bottom - (value / most) * (bottom - TOP)
  return (
    <section className="card chart-card">
      <div className="bar">
        <h2>{title}</h2>
        {note && <span className="small t2">{note}</span>}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on a phone, also by keys */}
      <figure className="chart-scroll" tabIndex={0} aria-label={title}>
        <svg className="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
          {[0, most / 2, most].map((value) => (
            <g key={value}>
              <path className="grid" d={`M${LEFT} ${yOf(value)}H${WIDTH}`} />
              <text x={LEFT - 10} y={yOf(value) + 4} textAnchor="end">
                {short(value)}
              </text>
            </g>
          ))}
          {bars.map(({ label, value, words }, at) => {
            const x = LEFT + at * step + step * 0.2
            const isLast = at === bars.length - 1
            return (
              <g key={label}>
                <rect
                  className={isLast ? 'last' : undefined}
                  x={x}
                  y={yOf(value ?? 0)}
                  width={step * 0.6}
                  height={bottom - yOf(value ?? 0)}
                  rx="2"
                >
                  <title>{`${label}: ${words}`}</title>
                </rect>
                {(bars.length - 1 - at) % every === 0 && (
                  <text x={x + step * 0.3} y={HEIGHT - 6} textAnchor="middle">
                    {label}
                  </text>
                )}
                {isLast && (
                  <text className="v" x={x + step * 0.3} y={yOf(value ?? 0) - 6} textAnchor="middle">
                    {words}
                  </text>
                )}
              </g>
            )
          })}
        </svg>
      </figure>
      <details className="more">
        <summary>As a table</summary>
        <table>
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
