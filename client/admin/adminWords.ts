import { PLANS, type Tier } from '../../contract/money/plans.ts'
import { shownPrice } from '../plan/plans/planLines.ts'

const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' })
const utcDay = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

/** "Mar 4, 2025" */
export const dayWords = (at: string): string => day.format(new Date(at))

/** The same, of a day that the server names in UTC. */
export const utcDayWords = (at: string): string => utcDay.format(new Date(at))

/** "1,284" */
export const countWords = (count: number): string => count.toLocaleString('en-US')

/** "1 entry", "1,284 entries" */
export const entriesWords = (count: number): string => `${countWords(count)} ${count === 1 ? 'entry' : 'entries'}`

/** "1,284", or "<10" for fewer people than ten. */
export const peopleWords = (people: number | null): string => (people === null ? '<10' : countWords(people))

export const tierWords = (tier: Tier): string => PLANS[tier].name

/** "$1,284", or "$40.50" where there are cents. */
export const moneyWords = (dollars: number): string => shownPrice(Math.round(dollars * 100))

/** Rows as CSV (RFC 4180). A text that a spreadsheet would take for a formula begins with an apostrophe. */
export function csvOf(rows: readonly (string | number | null)[][]): string {
  const cell = (value: string | number | null) => {
    const text = value === null ? '' : String(value)
    const shown = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
    return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown
  }
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

/** Saves a text as a file of the person's. */
export function saveFile(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Below the fields of price ids. */
export const PRICE_ID_WORDS = 'Leave empty to let the server create the price. A price id must cost what stands above.'
