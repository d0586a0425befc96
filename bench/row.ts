/** One figure with its target. */
export interface Row {
  /** Name of the file that measured it, without its extension. */
  figure: string
  name: string
  /** Number and unit, formatted. */
  value: string
  target: string
  /** null if the figure has no target. */
  isMet: boolean | null
  /** Comparison or conditions of the measurement. */
  note: string
}

interface Limit {
  atMost?: number
  atLeast?: number
  note?: string
}

/** Makes a row from a number, its unit and its target. */
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

/** Makes a row for a figure that this machine cannot measure. */
export const absent = (figure: string, name: string, why: string): Row => ({
  figure,
  name,
  value: why,
  target: '',
  isMet: null,
  note: '',
})

/** Formats a row as one line for the terminal. */
export function line({ figure, name, value, target, isMet, note }: Row): string {
  const verdict = isMet === null ? '' : isMet ? 'ok' : 'SHORT'
  const asked = [target && `(${target})`, verdict, note && `· ${note}`].filter(Boolean).join(' ')
  return `${figure.padEnd(9)} ${name.padEnd(54)} ${value.padStart(14)}  ${asked}`.trimEnd()
}

const withUnit = (value: number, unit: string): string => (unit === 'x' ? `${readable(value)}x` : `${readable(value)} ${unit}`)

/** Formats a number with three significant digits. */
export function readable(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}
