/** The median; NaN for an empty list. */
export const median = (values: number[]): number => percentile(values, 50)

/** The smallest value that `percent` percent of the values do not exceed; NaN for an empty list. */
export function percentile(values: number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN
}

export const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0)
