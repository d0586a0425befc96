/** One figure beside what it should be. */
export interface Row {
  /** The file that measured it, without its ending. */
  figure: string
  name: string
  /** Number and unit, as they are read. */
  value: string
  target: string
  /** null: for orientation, nothing is asked of it. */
  isMet: boolean | null
  /** Against what it was measured, or under which conditions. */
  note: string
}

interface Limit {
  atMost?: number
  atLeast?: number
  note?: string
}

/** A number with its unit, and what is asked of it. */
export function row(figure: string, name: string, value: number, unit: string, { atMost, atLeast, note = '' }: Limit = {}): Row {
  const targets = [
    ...(atMost === undefined ? [] : [`at most ${withUnit(atMost, unit)}`]),
    ...(atLeast === undefined ? [] : [`at least ${withUnit(atLeast, unit)}`]),
  ]
  const isMet = value <= (atMost ?? Number.POSITIVE_INFINITY) && value >= (atLeast ?? Number.NEGATIVE_INFINITY)
  return {
    figure,
    name,
    value: withUnit(value, unit),
    target: targets.join(', '),
    isMet: targets.length > 0 ? isMet : null,
    note,
  }
}

/** What could not be measured here, in words. */
export const absent = (figure: string, name: string, why: string): Row => ({
  figure,
  name,
  value: why,
  target: '',
  isMet: null,
  note: '',
})

/** One line for the terminal. */
export function line({ figure, name, value, target, isMet, note }: Row): string {
  const verdict = isMet === null ? '' : isMet ? 'ok' : 'SHORT'
  const asked = [target && `(${target})`, verdict, note && `· ${note}`].filter(Boolean).join(' ')
  return `${figure.padEnd(9)} ${name.padEnd(54)} ${value.padStart(14)}  ${asked}`.trimEnd()
}

const withUnit = (value: number, unit: string): string => (unit === 'x' ? `${readable(value)}x` : `${readable(value)} ${unit}`)

/** Three digits that mean something. */
export function readable(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}
