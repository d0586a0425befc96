/** The value in the middle; NaN of nothing. */
export const median = (values: number[]): number => percentile(values, 50)

/** The smallest value that so many percent do not exceed; NaN of nothing. */
export function percentile(values: number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN
}

export const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0)
