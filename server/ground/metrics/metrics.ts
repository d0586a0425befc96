type Labels = Record<string, string>

/** Metrics of this process, for Prometheus. */
export interface Metrics {
  /** Adds a counter. Returns the function that increments it. */
  counter(name: string, help: string): (labels?: Labels) => void
  /** Adds a histogram with ascending upper bounds of its buckets. Returns the function that observes a value. */
  histogram(name: string, help: string, bounds: readonly number[]): (value: number, labels?: Labels) => void
  /** Adds a gauge, whose value is read at each scrape. */
  gauge(name: string, help: string, read: () => number): void
  /** Adds gauges that differ in labels. None is written where `read` returns none. */
  gauges(name: string, help: string, read: () => { labels: Labels; value: number }[]): void
  /** All metrics in Prometheus's text format, version 0.0.4. */
  text(): string
}

interface Spread {
  counts: number[]
  sum: number
  count: number
}

/** Makes an empty set of metrics. A label's values come from a short list, never from user input: each value is a row for ever. */
export function makeMetrics(): Metrics {
  const families = new Map<string, { head: string; lines: () => string[] }>()

  function declare(name: string, type: string, help: string, lines: () => string[]): void {
    if (families.has(name)) throw new Error(`${name} is declared twice`)
    families.set(name, { head: `# HELP ${name} ${help}\n# TYPE ${name} ${type}`, lines })
  }

  return {
    counter(name, help) {
      const counts = new Map<string, number>()
      declare(name, 'counter', help, () => [...counts].map(([labels, count]) => line(name, labels, count)))
      return (labels = {}) => {
        const key = written(labels)
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
    },
    histogram(name, help, bounds) {
      const spreads = new Map<string, Spread>()
      declare(name, 'histogram', help, () =>
        [...spreads].flatMap(([labels, { counts, sum, count }]) => [
          ...bounds.map((bound, at) => line(`${name}_bucket`, joined(labels, `le="${bound}"`), counts[at] ?? 0)),
          line(`${name}_bucket`, joined(labels, 'le="+Inf"'), count),
          line(`${name}_sum`, labels, sum),
          line(`${name}_count`, labels, count),
        ]),
      )
      return (value, labels = {}) => {
        const key = written(labels)
        const spread = spreads.get(key) ?? { counts: bounds.map(() => 0), sum: 0, count: 0 }
        spreads.set(key, spread)
        spread.count += 1
        spread.sum += value
        bounds.forEach((bound, at) => {
          if (value <= bound) spread.counts[at] = (spread.counts[at] ?? 0) + 1
        })
      }
    },
    gauge(name, help, read) {
      declare(name, 'gauge', help, () => [line(name, '', read())])
    },
    gauges(name, help, read) {
      declare(name, 'gauge', help, () => read().map(({ labels, value }) => line(name, written(labels), value)))
    },
    text: () => [...families.values()].map(({ head, lines }) => `${[head, ...lines()].join('\n')}\n`).join(''),
  }
}

const written = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`)
    .join(',')

const joined = (labels: string, last: string): string => (labels === '' ? last : `${labels},${last}`)

const line = (name: string, labels: string, value: number): string => `${name}${labels === '' ? '' : `{${labels}}`} ${value}`
